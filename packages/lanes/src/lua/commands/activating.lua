--[[
  Runs a BullMQ script that may hand out a job (moveToActive, moveToFinished, moveToDelayed) or
  that promotes delayed ones (retryJob); `bull` is the unmodified script.

  KEYS: BullMQ's, then the stem of the queue's keys. ARGV: BullMQ's (ARGV[2] is the worker's
  clock), then the queue's key prefix and a time for tests ('' = the server's).
  Returns BullMQ's reply; where that is a table, its fifth element is { next, now, fence, token }:
  when something becomes due next and the time it was computed at, on the server's clock (0 = not
  known), and the fence and lock token of the claim taken. BullMQ reads four elements.
]]
local WORKER_NOW = tonumber(ARGV[2])
local FINISHED = FINISHING and ARGV[5]
local JOB = FINISHING and KEYS[12]
local others
-- The job whose attempt has ended; the account that was served by the short way, and its tag.
local ended, served, served_tag

local function end_attempt()
  if ended and load(own).lim then
    gated().release(own, ended)
  end
  ended = nil
end

-- Admission without limits in a queue of one group; whatever is not plain goes the long way. The
-- tag is moved at the end, when the job's fields are known.
local function admit()
  load(own)
  if own.lim or own.many or own.e <= 0 then
    return gated().admit(own)
  end
  local head = call('ZRANGE', OWN .. ':r:' .. own.g, 0, 0, 'WITHSCORES')
  local account = head[1]
  local id = account and call('RPOPLPUSH', OWN .. ':l:' .. own.g .. ':' .. account, ACTIVE)
  if not id then
    return gated().admit(own)
  end
  own.n = own.n - 1
  own.e = own.e - 1
  served, served_tag = account, tonumber(head[2])
  if served_tag < own.v then
    served_tag = own.v
  end
  own.v = served_tag
  own.moved = true
  return id
end

-- BullMQ promotes delayed jobs here, by the worker's clock; ours go by the server's.
local function settle()
  load(own)
  local head = tonumber(call('ZRANGE', DELAYED, 0, 0, 'WITHSCORES')[2])
  if head and head < (floor(now()) + 1) * 0x1000 then
    rare().promote(own)
  end
  if own.lim and call('ZRANGEBYSCORE', OWN .. ':c', '-inf', now(), 'LIMIT', 0, 1)[1] then
    rare().open_due(own)
  end
  return {}
end

local function redirect(command, key, ...)
  if key == META then
    if command == 'HMGET' and not own.v then
      -- The state comes with what BullMQ reads of this hash: two fields or four.
      local a, b, d, e = ...
      local fields, from
      if e then
        fields = call('HMGET', key, a, b, d, e, 'lane:v', 'lane:n', 'lane:e', 'lane:g', 'lane:lim', 'lane:x')
        from = 5
      else
        fields = call('HMGET', key, a, b, 'lane:v', 'lane:n', 'lane:e', 'lane:g', 'lane:lim', 'lane:x')
        from = 3
      end
      read_state(own, fields, from)
      end_attempt()
      return fields
    end
  elseif key == MARKER then
    if command == 'ZADD' then
      if select(2, ...) == '0' then
        own.wake = true
        return 0
      end
      -- "1" tells when a delayed job is due: for all workers, so on the server's clock.
      return call('ZADD', key, math.ceil(own.next), '1')
    end
  elseif key == ACTIVE then
    local reply = call(command, key, ...)
    if command == 'LREM' and reply > 0 then
      ended = select(2, ...)
      if own.v then
        end_attempt()
      end
    end
    return reply
  elseif key == WAIT then
    if command == 'RPOPLPUSH' then
      return admit()
    elseif command == 'LLEN' then
      return load(own).n
    end
    return rare().handle('wait', command, key, ...)
  elseif key == DELAYED then
    if command == 'ZRANGEBYSCORE' then
      return settle()
    elseif command == 'ZRANGE' then
      -- Tells the worker until when to block, on its own clock; gates count as well as delays.
      own.next = rare().next_due(own)
      if not own.next then
        return {}
      end
      return { '', (math.ceil(own.next) + WORKER_NOW - floor(now())) * 0x1000 }
    elseif command == 'ZADD' then
      local due = ... / 0x1000
      if not own.next or due < own.next then
        own.next = due
      end
      return rare().handle('delayed', command, key, ...)
    end
  elseif key == PRIORITIZED then
    -- Admission has looked there too.
    if command == 'ZPOPMIN' then
      return {}
    elseif command ~= 'ZCARD' then
      return rare().handle('prioritized', command, key, ...)
    end
  elseif key == JOB and command == 'HMGET' and ... == 'parentKey' then
    -- The lane of the finished job comes with the fields that BullMQ reads of it anyway.
    local fields = { ... }
    fields[#fields + 1] = 'ln'
    local reply = call('HMGET', key, unpack(fields))
    lane_of_key[key] = reply[#fields] or SHARED
    others = reply[1]
    return reply
  elseif FINISHED and command == 'ZADD' and key == KEYS[11] then
    if FINISHED == 'completed' then
      local lane = lane_of_key[JOB]
      call('LPUSH', OWN .. ':x:c:' .. string.sub(lane, string.find(lane, ':', 1, true) + 1), ARGV[1])
    else
      return rare().handle(FINISHED, command, key, ...)
    end
  elseif others or command == 'HMSET' and ... == 'name' or command == 'DEL' and select('#', ...) > 0 then
    return rare().redirect(command, key, ...)
  end
  return call(command, key, ...)
end

local reply = bull({ call = redirect, pcall = redis.pcall }, KEYS, ARGV)
end_attempt()

local job = type(reply) == 'table' and reply[1]
if type(job) == 'table' then
  local name, cost = false, 1
  for i = 1, #job, 2 do
    if job[i] == 'name' then
      name = true
      if not own.x then
        break
      end
    elseif job[i] == 'lc' then
      cost = tonumber(job[i + 1])
    end
  end
  if served then
    call('ZADD', OWN .. ':r:' .. own.g, served_tag + cost, served)
  end
  if not name then
    reply = rare().drop_ghost(own, reply[2])
  end
end
if rare_built then
  rare_built.save_others()
end
save(own)
if type(reply) == 'table' then
  reply[5] = {
    own.next and math.ceil(own.next) or 0,
    now_ms and floor(now_ms) or 0,
    own.fence or 0,
    own.fence and cmsgpack.unpack(ARGV[FINISHING and 8 or #ARGV > 3 and 9 or 3]).token or '',
  }
end
return reply
