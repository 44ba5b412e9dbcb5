--[[
  Runs a BullMQ script that may hand out a job (moveToActive, moveToFinished, moveToDelayed) or
  that promotes delayed ones (retryJob); `bull` is the unmodified script.

  KEYS: BullMQ's, then the queue's own key. ARGV: BullMQ's (ARGV[2] is the worker's clock), then
  the queue's key prefix and a time for tests ('' = the server's).
  Returns BullMQ's reply; where that is a table, its fifth element is { next, now, fence }: when
  something becomes due next and the time it was computed at, on the server's clock (0 = not
  known), and the fence of the claim taken. BullMQ reads four elements.
]]
local WORKER_NOW = tonumber(ARGV[2])
local FINISHED = FINISHING and ARGV[5]
local JOB = FINISHING and KEYS[12]
local routes = {
  [BASE .. 'wait'] = 'wait', [BASE .. 'active'] = 'active', [BASE .. 'delayed'] = 'delayed',
  [BASE .. 'marker'] = 'marker', [BASE .. 'prioritized'] = 'prioritized',
}
local others

-- Admission without limits in a queue of one group; whatever is not plain goes the long way.
local function admit()
  load(own)
  if own.lim or own.many or own.e <= 0 then
    return gated().admit(own)
  end
  local ready = OWN .. ':r:' .. own.g
  local head = call('ZRANGE', ready, 0, 0, 'WITHSCORES')
  local account = head[1]
  local id = account and call('RPOP', OWN .. ':l:' .. own.g .. ':' .. account)
  if not id then
    return gated().admit(own)
  end
  own.n = own.n - 1
  own.e = own.e - 1
  own.dirty = true
  local job = call('HMGET', BASE .. id, 'name', 'lc')
  if not job[1] then
    return gated().admit(own)
  end
  local start = tonumber(head[2])
  if start < own.v then
    start = own.v
  end
  own.v = start
  call('LPUSH', BASE .. 'active', id)
  call('ZADD', ready, start + (tonumber(job[2]) or 1), account)
  return id
end

-- BullMQ promotes delayed jobs here, by the worker's clock; ours go by the server's.
local function settle(delayed)
  load(own)
  local t = now()
  if call('ZRANGEBYSCORE', delayed, 0, (floor(t) + 1) * 0x1000 - 1, 'LIMIT', 0, 1)[1] then
    rare().promote(own)
  end
  if own.lim and call('ZRANGEBYSCORE', OWN .. ':c', '-inf', t, 'LIMIT', 0, 1)[1] then
    rare().open_due(own)
  end
  return {}
end

local function redirect(command, key, ...)
  local kind = routes[key]
  if kind == 'marker' then
    if command == 'ZADD' then
      if select(2, ...) == '0' then
        own.wake = true
        return 0
      end
      -- "1" tells when a delayed job is due: for all workers, so on the server's clock.
      return call('ZADD', key, math.ceil(own.next), '1')
    end
  elseif kind == 'active' then
    local reply = call(command, key, ...)
    if command == 'LREM' and reply > 0 and load(own).lim then
      gated().release(own, (select(2, ...)))
    end
    return reply
  elseif kind == 'wait' then
    if command == 'RPOPLPUSH' then
      return admit()
    elseif command == 'LLEN' then
      return load(own).n
    end
    return rare().handle('wait', command, key, ...)
  elseif kind == 'delayed' then
    if command == 'ZRANGEBYSCORE' then
      return settle(key)
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
  elseif kind == 'prioritized' then
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
      return rare().handle('failed', command, key, ...)
    end
  elseif others or command == 'HMSET' and ... == 'name' or command == 'DEL' and select('#', ...) > 0 then
    return rare().redirect(command, key, ...)
  end
  return call(command, key, ...)
end

local reply = bull({ call = redirect, pcall = redis.pcall }, KEYS, ARGV)
if rare_built then
  rare_built.save_others()
end
save(own)
if type(reply) == 'table' then
  reply[5] = {
    own.next and math.ceil(own.next) or 0,
    now_ms and floor(now_ms) or 0,
    own.fence or 0,
  }
end
return reply
