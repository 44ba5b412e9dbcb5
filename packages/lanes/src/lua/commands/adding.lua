--[[
  Runs a BullMQ script that adds one job; `bull` is the unmodified script. WAIT, META and so on
  stand for the script's KEYS of these names.

  KEYS: BullMQ's, then the stem of the queue's keys. ARGV: BullMQ's, then the job's lane ('' =
  the shared one), '' or JSON { cost, tag, parent }, the queue's key prefix, a time for tests.
  Returns BullMQ's reply. A script around BullMQ's may ask `redis.waiting()` before it adds the job.
]]
local extra = table.remove(ARGV)
own.given = table.remove(ARGV)
own.lane = own.given ~= '' and own.given or 'default:'
own.more = extra ~= '' and cjson.decode(extra) or nil
own.meta, own.marker = META, MARKER

-- The job waits in its lane: the common cases here, a new lane under limits the long way.
local function wait(command, id)
  load(own)
  local lane = own.lane
  local count = call(command, own.own .. ':l:' .. lane, id)
  own.dirty = true
  if count > 1 and not own.lim then
    own.n = own.n + 1
    own.e = own.e + 1
    return count
  end
  local colon = string.find(lane, ':', 1, true)
  local g, a = string.sub(lane, 1, colon - 1), string.sub(lane, colon + 1)
  if count == 1 and (own.lim or own.g ~= g) or own.x and command == 'RPUSH' then
    rare().pushed(own, lane, count, command)
    return count
  end
  own.n = own.n + 1
  if count == 1 then
    if join_ready(own, own.own .. ':r:' .. g, own.v, a) then
      call('ZADD', own.own .. ':s', 'NX', string.format('%d', now()), lane)
      call('ZADD', string.match(own.base, '^(.*):[^:]*:$') .. '::accounts', 'NX', '0', a)
    end
    own.e = own.e + 1
  elseif not call('ZSCORE', own.own .. ':h:' .. g, a) then
    own.e = own.e + 1
  end
  return count
end

local function redirect(command, key, ...)
  if key == META then
    -- The state comes with what BullMQ reads of this hash before it pushes.
    if command == 'HMGET' and not own.v and select('#', ...) == 2 then
      local first, second = ...
      local fields = call('HMGET', key, first, second, 'lane:s', 'lane:g')
      read_state(own, fields[3], fields[4])
      return fields
    end
  elseif key == MARKER then
    if select(2, ...) == '0' then
      own.wake = true
      return 0
    end
  elseif key == WAIT then
    if own.base .. ... ~= own.born then
      return rare().handle('wait', command, key, ...)
    end
    return wait(command, (...))
  elseif key == DELAYED then
    local score, id = ...
    if command == 'ZADD' and own.base .. id == own.born then
      local account = string.sub(own.lane, string.find(own.lane, ':', 1, true) + 1)
      call('ZADD', own.own .. ':x:d:' .. account, string.format('%d', score / 0x1000), id)
    elseif command == 'ZADD' or command == 'ZREM' then
      return rare().handle('delayed', command, key, ...)
    end
  elseif key == PRIORITIZED then
    return rare().handle('prioritized', command, key, ...)
  elseif command == 'HMSET' then
    if ... == 'name' then
      own.born = key
      own.lane_of[key] = own.lane
      local more = own.more
      if more and (more.cost or more.parent) then
        return rare().birth(key, own.given ~= '' and own.given or nil, more.cost, more.tag, ...)
      elseif more then
        -- A tag alone is common, and not worth building the rest for.
        call('ZADD', own.own .. ':x:t:' .. more.tag, string.format('%d', now()), string.sub(key, #own.base + 1))
        return call('HMSET', key, 'ln', own.given, 'tg', more.tag, ...)
      elseif own.given == '' then
        return call('HMSET', key, ...)
      end
      return call('HMSET', key, 'ln', own.given, ...)
    end
  elseif command == 'DEL' or own.more and own.more.parent and key ~= ACTIVE then
    return rare().redirect(command, key, ...)
  end
  return call(command, key, ...)
end

-- Jobs that wait in the queue: ready, held, for their time or for a retry. From `from` on those of the job's account
-- are counted too, since an account has no more than all: one command for each of its groups.
local function waiting(from)
  local all = load(own).n + call('ZCARD', PRIORITIZED) + call('ZCARD', DELAYED)
  if all < from then
    return all, all
  end
  local account = string.sub(own.lane, string.find(own.lane, ':', 1, true) + 1)
  local of_account = call('ZCARD', own.own .. ':x:d:' .. account)
  for g in string.gmatch(own.g or '', '[^,]+') do
    local lane = g .. ':' .. account
    of_account = of_account + call('LLEN', own.own .. ':l:' .. lane) + call('ZCARD', own.own .. ':p:' .. lane)
  end
  return all, of_account
end

local bull_redis = { call = redirect, pcall = redis.pcall, now = now, lanes = rare, waiting = waiting }
local reply = bull(bull_redis)(KEYS, ARGV)
if own.born and not load(own).g then
  -- A queue of lanes from its first job on, so that parents find their way back into it.
  rare().add_group(own, string.sub(own.lane, 1, string.find(own.lane, ':', 1, true) - 1))
end
if own.rare then
  own.rare.save_others()
end
save(own)
return reply
