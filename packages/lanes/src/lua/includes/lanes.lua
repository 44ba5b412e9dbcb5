--[[
  Lanes: one account's waiting jobs of one group in one queue ("<group>:<account>").

  A lane with jobs is in exactly one of two sets of its group: ready (its gate is open) or held.
  Both keep the account's tag, so being held or empty earns no credit. An emptied lane stays in
  ready until virtual time reaches its tag: only then may the tag be forgotten.
]]
local PREFIX = reading.PREFIX
local split, closed, gate_of, hold = gated.split, gated.closed, gated.gate_of, choosing.hold
local groups_of, queue_of = choosing.groups_of, gated.queue_of

local contexts = { [BASE] = own }

local function context(base)
  local c = contexts[base]
  if not c then
    c = { base = base, own = PREFIX .. '::q:' .. string.match(base, '([^:]*):$') }
    contexts[base] = c
  end
  return c
end

local function context_of_queue(queue)
  return context(PREFIX .. ':' .. queue .. ':')
end

local function lane_of(c, id)
  local key = c.base .. id
  local lane = lane_of_key[key]
  if not lane then
    lane = call('HGET', key, 'ln') or SHARED
    lane_of_key[key] = lane
  end
  return lane
end

local function length(c, lane)
  return call('LLEN', c.own .. ':l:' .. lane) + call('ZCARD', c.own .. ':p:' .. lane)
end

local function is_held(c, g, a)
  return c.lim and call('ZSCORE', c.own .. ':h:' .. g, a)
end

-- The tag of an account that has lanes in several groups is the highest of them.
local function account_tag(c, a, least)
  local tag = least
  for _, g in ipairs(groups_of(c)) do
    for _, kind in ipairs({ ':r:', ':h:' }) do
      local score = tonumber(call('ZSCORE', c.own .. kind .. g, a))
      if score and score > tag then
        tag = score
      end
    end
  end
  return tag
end

-- What the queue has beyond its counts.
local function write_groups(c)
  local groups = c.g
  if c.lim or c.x then
    groups = groups .. ';' .. (c.lim or '') .. ';' .. (c.x or '')
  end
  call('HSET', c.base .. 'meta', 'lane:g', groups)
end

-- First lane of a group in this queue: the queue becomes, or already is, a queue of lanes.
local function add_group(c, g)
  local groups = groups_of(c)
  groups[#groups + 1] = g
  call('SADD', PREFIX .. '::groups', g)
  c.g = c.g and (c.g .. ',' .. g) or g
  c.many = #groups > 1
  if not c.many then
    call('SADD', PREFIX .. '::queues', queue_of(c))
    c.lim = tonumber(call('HGET', PREFIX .. '::conf', 'lim'))
  end
  write_groups(c)
end

-- From now on jobs of this queue are looked at before they are charged.
local function look_at_jobs(c)
  if not load(c).x then
    c.x = '1'
    if c.g then
      write_groups(c)
    end
  end
end

local function has_group(c, g)
  for _, known in ipairs(groups_of(c)) do
    if known == g then
      return true
    end
  end
end

-- The tag of an account of this weight that arrives now. It gives way by no more than one of its own jobs: to a heavy
-- one a few steps are many jobs.
local function arrival_of(c, weight)
  return math.min(arrival(c), c.v + math.floor(JOB / weight))
end

local function unhold(c, g, a)
  local held = call('ZSCORE', c.own .. ':h:' .. g, a)
  if not held then
    return false
  end
  local lane = g .. ':' .. a
  load(c)
  local tag = tonumber(held)
  if tag < c.v then
    tag = arrival_of(c, gated.settings_of(a).w)
    c.a = arrival(c)
  end
  if c.many then
    tag = account_tag(c, a, tag)
  end
  call('ZADD', c.own .. ':r:' .. g, tag, a)
  call('ZREM', c.own .. ':h:' .. g, a)
  call('ZREM', c.own .. ':c', lane)
  -- Its jobs could run from now on: an ordinary hold is nobody's lateness.
  call('ZADD', c.own .. ':s', 'XX', floor(now()), lane)
  c.e = c.e + length(c, lane)
  c.dirty, c.wake = true, true
  return true
end

-- Looks at one held lane again: in `promotion.lua`.
local reconsider

-- A lane has got a job. Counts it as eligible unless its gate is closed.
local function enter(c, lane)
  local g, a = split(lane)
  if is_held(c, g, a) then
    if c.x then
      -- It may be next now, and cost less than what the lane was closed for.
      reconsider(c, g, a)
    end
    return
  end
  if not has_group(c, g) then
    add_group(c, g)
  end
  local tag = c.lim and arrival_of(c, gated.settings_of(a).w) or arrival(c)
  if c.many then
    tag = account_tag(c, a, tag)
  end
  local joined = join_ready(c, c.own .. ':r:' .. g, tag, a)
  c.e = c.e + 1
  if joined then
    call('ZADD', c.own .. ':s', 'NX', floor(now()), lane)
    call('ZADD', PREFIX .. '::accounts', 'NX', 0, a)
  end
  if c.lim then
    local at, why = closed(gate_of(c, g, a), choosing.next_cost(c, lane))
    if at then
      hold(c, g, a, tonumber(call('ZSCORE', c.own .. ':r:' .. g, a)), at, why)
    end
  end
end

-- A job has been pushed on its lane's list, which holds `count` now: behind the others, or by RPUSH before them.
local function pushed(c, lane, count, command)
  c.n = c.n + 1
  c.dirty = true
  if count == 1 then
    enter(c, lane)
  else
    local g, a = split(lane)
    if not is_held(c, g, a) then
      c.e = c.e + 1
    elseif c.x and command == 'RPUSH' then
      reconsider(c, g, a)
    end
  end
end

-- BullMQ's LPUSH (behind the others) or RPUSH (next in turn) on wait.
local function push(c, lane, command, id)
  load(c)
  pushed(c, lane, call(command, c.own .. ':l:' .. lane, id), command)
end

-- BullMQ's ZADD on prioritized, which stays as the queue's own index of these jobs.
local function push_prioritized(c, lane, score, id)
  load(c)
  call('ZADD', c.base .. 'prioritized', score, id)
  if call('ZADD', c.own .. ':p:' .. lane, score, id) == 1 then
    c.dirty = true
    enter(c, lane)
  end
end

local function uncount(c, lane, removed)
  if removed > 0 then
    c.dirty = true
    local g, a = split(lane)
    if not is_held(c, g, a) then
      c.e = c.e - removed
    elseif c.x then
      -- What is next now may cost less than what the lane was closed for.
      reconsider(c, g, a)
    end
  end
  return removed
end

local function take(c, id, count)
  load(c)
  local lane = lane_of(c, id)
  local removed = call('LREM', c.own .. ':l:' .. lane, count, id)
  c.n = c.n - removed
  return uncount(c, lane, removed)
end

local function take_prioritized(c, id)
  load(c)
  local lane = lane_of(c, id)
  call('ZREM', c.base .. 'prioritized', id)
  return uncount(c, lane, call('ZREM', c.own .. ':p:' .. lane, id))
end
