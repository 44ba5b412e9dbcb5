--[[
  What commands that change settings share. They name no queue of their own: every queue of
  lanes of the prefix is looked at.
]]
local MAX_QUEUES = 1000
local MAX_GROUPS = 100
local MAX_ADOPTED = 10000
local CONFIG = PREFIX .. '::conf'

local function all_queues()
  local queues = call('SMEMBERS', PREFIX .. '::queues')
  local list = {}
  for i = 1, math.min(#queues, MAX_QUEUES) do
    list[i] = context_of_queue(queues[i])
  end
  return list
end

-- Groups that gates may be recorded of.
local function remember_group(g)
  call('SADD', PREFIX .. '::groups', g)
end

local function known_groups()
  local groups = call('SMEMBERS', PREFIX .. '::groups')
  return { unpack(groups, 1, math.min(#groups, MAX_GROUPS)) }
end

-- An account that has settings can be found, with jobs or without.
local function remember_account(a)
  call('ZADD', PREFIX .. '::accounts', 'NX', 0, a)
end

-- A gate where no queue is at hand.
local function gate_anywhere(g, a)
  return gate_of({ lim = tonumber(call('HGET', CONFIG, 'lim')) or 0 }, g, a)
end

-- From now on admissions do gate work of this kind (1 accounts, 2 defaults, 4 totals).
local function limit_everywhere(bit)
  local lim = tonumber(call('HGET', CONFIG, 'lim')) or 0
  if lim % (2 * bit) < bit then
    lim = lim + bit
    call('HSET', CONFIG, 'lim', lim)
    for _, c in ipairs(all_queues()) do
      c.lim = lim + (choosing.is_refused(load(c)) and 8 or 0)
      write_groups(c)
    end
  end
end

-- The lane of a gate that has changed is held, opened or left, in every queue.
local function review(g, a)
  for _, c in ipairs(all_queues()) do
    load(c)
    if call('ZSCORE', c.own .. ':h:' .. g, a) then
      reconsider(c, g, a)
    else
      local tag = tonumber(call('ZSCORE', c.own .. ':r:' .. g, a))
      if tag then
        local at, why = closed(gate_of(c, g, a), choosing.next_cost(c, g .. ':' .. a))
        if at then
          hold(c, g, a, tag, at, why)
        end
      end
    end
  end
end

local function review_account(a)
  local seen = {}
  for _, c in ipairs(all_queues()) do
    for _, g in ipairs(groups_of(load(c))) do
      if not seen[g] then
        seen[g] = true
        review(g, a)
      end
    end
  end
end

-- Claims of the jobs that run already, when a gate begins to count them: `lane` or a whole group.
local function adopt_active(g, lane, kind)
  local adopted = {}
  for _, c in ipairs(all_queues()) do
    local active = call('LRANGE', c.base .. 'active', 0, MAX_ADOPTED - 1)
    for _, id in ipairs(active) do
      local its = lane_of(c, id)
      if its == lane or (not lane and split(its) == g) then
        local record = call('HGET', c.own .. ':k', id)
        local kinds = record and tonumber((select(2, gated.read_claim(record)))) or 0
        if kinds ~= kind and kinds ~= 3 then
          call('HSET', c.own .. ':k', id, gated.claim_record(gated.new_fence(0), kinds + kind, its))
          adopted[its] = (adopted[its] or 0) + 1
        end
      end
    end
  end
  return adopted
end

-- The time of a bucket whose interval was b until now and is i from now on: the same number of tokens is spent, and none
-- beyond its new depth.
local function carry_over(t, b, i, d)
  return math.min(gated.carried_over(t, b, i, d, now()), now() + d)
end

local function save_all()
  for _, c in pairs(contexts) do
    save(c)
  end
end

-- Closes a gate until a time, such as a remote system's Retry-After; of two closings the later one counts.
local function close_gate(g, a, until_ms)
  remember_account(a)
  limit_everywhere(1)
  remember_group(g)
  local gate = gate_anywhere(g, a)
  if gate.u >= until_ms then
    return gate.u
  end
  gate.u = floor(until_ms)
  gated.change(gate)
  review(g, a)
  return floor(until_ms)
end
