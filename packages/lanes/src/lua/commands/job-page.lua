--[[
  A page of one queue's jobs in one of BullMQ's states, newest first, of an account, of a tag (in any
  state), or of all.

  KEYS[1] the queue's own key.
  ARGV[1] state: waiting, prioritized, active, delayed, failed, completed, cancelled
  [2] '' | 'account' | 'tag'  [3] its value  [4] offset  [5] count,
  then the key prefix and a time for tests.
  Reply: the offset of the next page ('' = no more), then per job: id, its state (ready, held, active,
  scheduled, retrying, failed, completed, cancelled), and name, lane, tag, timestamp, attempts made,
  processed, finished ('' where missing; all of them when the job is gone).
]]
local all = rare()
local state, by, value = ARGV[1], ARGV[2], ARGV[3]
local from, count = tonumber(ARGV[4]), tonumber(ARGV[5])
load(own)
local ids = {}

local function of_zset(key)
  return call('ZREVRANGE', key, from, from + count - 1)
end

if by == 'tag' then
  ids = of_zset(OWN .. ':x:t:' .. value)
elseif state == 'active' then
  ids = call('LRANGE', BASE .. 'active', from, from + count - 1)
elseif by == 'account' then
  if state == 'completed' then
    ids = call('LRANGE', OWN .. ':x:c:' .. value, from, from + count - 1)
  elseif state == 'failed' then
    ids = of_zset(OWN .. ':x:f:' .. value)
  elseif state == 'cancelled' then
    ids = of_zset(OWN .. ':x:n:' .. value)
  elseif state == 'delayed' then
    ids = of_zset(OWN .. ':x:d:' .. value)
  else
    local skipped = 0
    for _, g in ipairs(choosing().groups_of(own)) do
      local key = OWN .. (state == 'waiting' and ':l:' or ':p:') .. g .. ':' .. value
      local size = state == 'waiting' and call('LLEN', key) or call('ZCARD', key)
      if skipped + size > from and #ids < count then
        local start, stop = math.max(from - skipped, 0), from + count - 1 - skipped
        local part = state == 'waiting' and call('LRANGE', key, start, stop) or call('ZREVRANGE', key, start, stop)
        for i = 1, #part do
          ids[#ids + 1] = part[i]
        end
      end
      skipped = skipped + size
    end
  end
elseif state == 'waiting' then
  ids = all.range(own, from, from + count - 1)
else
  ids = of_zset(BASE .. state)
end

local function bull_state(id)
  for _, set in ipairs({ 'completed', 'failed', 'cancelled', 'delayed' }) do
    if call('ZSCORE', BASE .. set, id) then
      return set
    end
  end
  return call('LPOS', BASE .. 'active', id) and 'active' or 'waiting'
end

local function state_of(id, started, held_reason)
  local found = by == 'tag' and bull_state(id) or state
  if found == 'delayed' then
    return held_reason and held_reason ~= '' and 'held' or started and 'retrying' or 'scheduled'
  elseif found == 'waiting' or found == 'prioritized' then
    return all.held(BASE, id) and 'held' or 'ready'
  end
  return found
end

local reply = { #ids == count and tostring(from + count) or '' }
for _, id in ipairs(ids) do
  local job =
    call('HMGET', BASE .. id, 'name', 'ln', 'tg', 'timestamp', 'atm', 'processedOn', 'finishedOn', 'ats', 'hr')
  reply[#reply + 1] = id
  reply[#reply + 1] = job[1] and state_of(id, job[8], job[9]) or ''
  for i = 1, 7 do
    reply[#reply + 1] = job[i] or ''
  end
end
return reply
