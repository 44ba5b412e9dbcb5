--[[
  Runs a BullMQ script that adds one job; `bull` is the unmodified script.

  KEYS: BullMQ's, then the stem of the queue's keys. ARGV: BullMQ's, then the job's lane ('' =
  the shared one), '' or JSON { cost, tag, parent }, the queue's key prefix, a time for tests.
  Returns BullMQ's reply.
]]
local EXTRA = table.remove(ARGV)
local LANE = table.remove(ARGV)
local born
local more = EXTRA ~= '' and cjson.decode(EXTRA) or nil
local lane = LANE ~= '' and LANE or SHARED

-- The job waits in its lane: the common cases here, a new lane under limits the long way.
local function wait(command, id)
  load(own)
  local count = call(command, OWN .. ':l:' .. lane, id)
  own.dirty = true
  if count > 1 and not own.lim then
    own.n = own.n + 1
    own.e = own.e + 1
    return count
  end
  local colon = string.find(lane, ':', 1, true)
  local g, a = string.sub(lane, 1, colon - 1), string.sub(lane, colon + 1)
  if count == 1 and (own.lim or own.g ~= g) then
    rare().pushed(own, lane, count)
    return count
  end
  own.n = own.n + 1
  if count == 1 then
    if call('ZADD', OWN .. ':r:' .. g, 'NX', own.v, a) == 1 then
      call('ZADD', OWN .. ':s', 'NX', floor(now()), lane)
      call('ZADD', string.match(BASE, '^(.*):[^:]*:$') .. '::accounts', 'NX', 0, a)
    end
    own.e = own.e + 1
  elseif not call('ZSCORE', OWN .. ':h:' .. g, a) then
    own.e = own.e + 1
  end
  return count
end

local function redirect(command, key, ...)
  if key == META then
    -- The state comes with what BullMQ reads of this hash before it pushes.
    if command == 'HMGET' and not own.v and select('#', ...) == 2 then
      local first, second = ...
      local fields =
        call('HMGET', key, first, second, 'lane:v', 'lane:n', 'lane:e', 'lane:g', 'lane:lim', 'lane:x')
      read_state(own, fields, 3)
      return fields
    end
  elseif key == MARKER then
    if select(2, ...) == '0' then
      own.wake = true
      return 0
    end
  elseif key == WAIT then
    local id = ...
    if BASE .. id ~= born then
      return rare().handle('wait', command, key, ...)
    end
    return wait(command, id)
  elseif key == DELAYED then
    local score, id = ...
    if command == 'ZADD' and BASE .. id == born then
      local account = string.sub(lane, string.find(lane, ':', 1, true) + 1)
      call('ZADD', OWN .. ':x:d:' .. account, floor(score / 0x1000), id)
    elseif command == 'ZADD' or command == 'ZREM' then
      return rare().handle('delayed', command, key, ...)
    end
  elseif key == PRIORITIZED then
    return rare().handle('prioritized', command, key, ...)
  elseif command == 'HMSET' then
    if ... == 'name' then
      born = key
      lane_of_key[key] = lane
      if more then
        return rare().birth(key, LANE ~= '' and LANE or nil, more.cost, more.tag, ...)
      elseif LANE == '' then
        return call('HMSET', key, ...)
      end
      return call('HMSET', key, 'ln', LANE, ...)
    end
  elseif command == 'DEL' or more and more.parent and key ~= ACTIVE then
    return rare().redirect(command, key, ...)
  end
  return call(command, key, ...)
end

local reply = bull({ call = redirect, pcall = redis.pcall, now = now, lanes = rare }, KEYS, ARGV)
if born and not load(own).g then
  -- A queue of lanes from its first job on, so that parents find their way back into it.
  rare().add_group(own, string.sub(lane, 1, string.find(lane, ':', 1, true) - 1))
end
if rare_built then
  rare_built.save_others()
end
save(own)
return reply
