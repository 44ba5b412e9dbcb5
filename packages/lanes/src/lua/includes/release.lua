--[[
  Release of a claim, once: the record decides, so a second release finds nothing to do.
  A gate that was full may open; its lanes are looked at in every queue that waits for it.
]]
-- The records of all jobs that this call ends, and their gates, read together.
local function read_claims(c)
  local found = call('HMGET', c.own .. ':k', unpack(own.ids))
  own.claims = {}
  local ending = {}
  for i = 1, #own.ids do
    local record = found[i]
    own.claims[own.ids[i]] = record
    if record then
      local g, a = string.match(record, '^%S+ +%d ([^:]*):(.*)$')
      local accounts = ending[g] or {}
      ending[g] = accounts
      accounts[#accounts + 1], accounts[#accounts + 2] = a, record
    end
  end
  for g, accounts in pairs(ending) do
    foresee(g, accounts)
  end
end

-- The record of a job's claim; nil where it was not among those read, false where there is none.
local function known_claim(c, id)
  if c ~= own or not own.ids then
    return nil
  end
  if not own.claims then
    read_claims(c)
  end
  return own.claims[id]
end

-- Takes a record away; false when there is none.
local function end_claim(c, id)
  local record = known_claim(c, id)
  if record == nil then
    return call('HDEL', c.own .. ':k', id) == 1
  elseif record then
    own.claims[id] = false
    own.put_off('HDEL', c.own .. ':k', id)
  end
  return record
end

local function release(c, id, fence)
  load(c)
  if not c.lim then
    return 0
  end
  local kinds, lane = '1', lane_of_key[c.base .. id]
  if fence or c.lim >= 4 or not lane then
    local record = known_claim(c, id)
    if record == nil then
      record = call('HGET', c.own .. ':k', id)
    end
    if not record then
      return 0
    end
    local taken
    taken, kinds, lane = string.match(record, '^(%S+) +(%d) (.*)$')
    if fence and taken ~= fence then
      return 0
    end
  end
  if not end_claim(c, id) then
    return 0
  end
  local g, a = split(lane)
  if kinds ~= '2' then
    count_claim(g, a, -1)
    local waiting = waiting_queues(lane)
    if waiting[1] then
      if own.write_back then
        own.write_back()
      end
      rare().reopen(waiting, g, a)
    end
  end
  if kinds ~= '1' then
    rare().release_total(g)
  end
  return 1
end
