--[[
  Runs a BullMQ script that adds one job; `bull` is the unmodified script.

  KEYS: BullMQ's, then the queue's own key. ARGV: BullMQ's, then the job's lane ('' = the shared
  one), '' or JSON { cost, tag, parent }, the queue's key prefix, a time for tests.
  Returns BullMQ's reply.
]]
local EXTRA = table.remove(ARGV)
local LANE = table.remove(ARGV)
local SHARED_LANE = LANE == ''
if SHARED_LANE then
  LANE = SHARED
end
local WAIT, MARKER, DELAYED = BASE .. 'wait', BASE .. 'marker', BASE .. 'delayed'
local PRIORITIZED, ACTIVE = BASE .. 'prioritized', BASE .. 'active'
local born
local more = EXTRA ~= '' and cjson.decode(EXTRA) or nil

local function redirect(command, key, ...)
  if key == MARKER then
    if select(2, ...) == '0' then
      own.wake = true
      return 0
    end
  elseif key == WAIT then
    local id = ...
    if BASE .. id ~= born then
      return rare().handle('wait', command, key, ...)
    end
    load(own)
    local count = call(command, OWN .. ':l:' .. LANE, id)
    if own.lim or count == 1 then
      rare().pushed(own, LANE, count)
    else
      own.n = own.n + 1
      own.e = own.e + 1
      own.dirty = true
    end
    return count
  elseif key == DELAYED then
    local score, id = ...
    if command == 'ZADD' and BASE .. id == born then
      local account = string.sub(LANE, string.find(LANE, ':', 1, true) + 1)
      call('ZADD', OWN .. ':x:d:' .. account, floor(score / 0x1000), id)
    elseif command == 'ZADD' or command == 'ZREM' then
      return rare().handle('delayed', command, key, ...)
    end
  elseif key == PRIORITIZED then
    return rare().handle('prioritized', command, key, ...)
  elseif command == 'HMSET' then
    if ... == 'name' then
      born = key
      lane_of_key[key] = LANE
      if more then
        return rare().birth(key, not SHARED_LANE and LANE or nil, more.cost, more.tag, ...)
      elseif SHARED_LANE then
        return call('HMSET', key, ...)
      end
      return call('HMSET', key, 'ln', LANE, ...)
    end
  elseif key ~= ACTIVE and (more and more.parent or command == 'DEL') then
    return rare().redirect(command, key, ...)
  end
  return call(command, key, ...)
end

local reply = bull({ call = redirect, pcall = redis.pcall }, KEYS, ARGV)
if rare_built then
  rare_built.save_others()
end
save(own)
return reply
