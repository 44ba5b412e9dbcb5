--[[
  Runs a BullMQ script that may hand out a job (moveToActive, moveToFinished, moveToDelayed) or
  that promotes delayed ones (retryJob); `bull` is the unmodified script. WAIT, META and so on
  stand for the script's KEYS of these names.

  KEYS: BullMQ's, then the stem of the queue's keys. ARGV: BullMQ's (ARGV[2] is the worker's
  clock), then the queue's key prefix and a time for tests ('' = the server's).
  Returns BullMQ's reply. Where that is a table and there is something to tell, its fifth element
  is { next, now, fence, token }: when something becomes due next and the time that was computed
  at, on the server's clock (0 = not known), and the fence and lock token of the claim taken.
  BullMQ reads four elements.
]]
own.meta, own.marker = META, MARKER

local function end_attempt()
  if own.ended and load(own).lim then
    gated().release(own, own.ended)
  end
  own.ended = nil
end

-- Admission without limits in a queue of one group; whatever is not plain goes the long way. The
-- tag is moved at the end, when the job's fields are known.
local function admit()
  load(own)
  if own.lim or own.many or own.e <= 0 then
    return gated().admit(own)
  end
  own.ready = own.own .. ':r:' .. own.g
  local head = call('ZRANGE', own.ready, '0', '0', 'WITHSCORES')
  local account = head[1]
  local id = account and call('RPOPLPUSH', own.own .. ':l:' .. own.g .. ':' .. account, ACTIVE)
  if not id then
    return gated().admit(own)
  end
  own.n = own.n - 1
  own.e = own.e - 1
  local tag = tonumber(head[2])
  if tag > own.v then
    own.v = tag
  end
  own.served = account
  own.dirty = true
  return id
end

-- BullMQ promotes delayed jobs here, by the worker's clock; ours go by the server's.
local function settle()
  load(own)
  if own.settled then
    return {}
  end
  own.settled = true
  local head = tonumber(call('ZRANGE', DELAYED, '0', '0', 'WITHSCORES')[2])
  if head and head < (math.floor(now()) + 1) * 0x1000 then
    rare().promote(own)
  end
  if own.lim and call('ZRANGEBYSCORE', own.own .. ':c', '-inf', now(), 'LIMIT', '0', '1')[1] then
    rare().open_due(own)
  end
  return {}
end

-- Keys that are ours, by what they are: one look-up for each call of BullMQ's script.
local mine = {
  [META] = 'meta', [MARKER] = 'marker', [ACTIVE] = 'active', [WAIT] = 'wait', [DELAYED] = 'delayed',
  [PRIORITIZED] = 'prioritized', [PC] = 'pc',
}

local function redirect(command, key, ...)
  local kind = mine[key]
  if not kind then
    if command == 'SET' then
      own.token = ...
    elseif own.parent or command == 'HMSET' and ... == 'name' or command == 'DEL' and select('#', ...) > 0 then
      return rare().redirect(command, key, ...)
    end
  elseif kind == 'meta' then
    if command == 'HMGET' and not own.v then
      -- The state comes with what BullMQ reads of this hash: two fields or four.
      local a, b, d, e = ...
      local fields, from
      if e then
        fields, from = call('HMGET', key, a, b, d, e, 'lane:s', 'lane:g'), 5
      else
        fields, from = call('HMGET', key, a, b, 'lane:s', 'lane:g'), 3
      end
      read_state(own, fields[from], fields[from + 1])
      end_attempt()
      return fields
    end
  elseif kind == 'marker' then
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
    if command == 'LREM' and reply > 0 then
      own.ended = select(2, ...)
      if own.v then
        end_attempt()
      end
    end
    return reply
  elseif kind == 'job' then
    if command == 'HMGET' and ... == 'parentKey' then
      -- The lane of the finished job comes with the fields that BullMQ reads of it anyway.
      local a, b, d = ...
      local reply = call('HMGET', key, a, b, d, 'ln')
      own.lane_of[key] = reply[4] or 'default:'
      own.parent = reply[1]
      return reply
    elseif command == 'DEL' then
      return rare().redirect(command, key, ...)
    end
  elseif kind == 'finished' then
    if command ~= 'ZADD' or ARGV[5] ~= 'completed' then
      return rare().handle(ARGV[5], command, key, ...)
    end
    local lane = own.lane_of[KEYS[12]]
    call('LPUSH', own.own .. ':x:c:' .. string.sub(lane, string.find(lane, ':', 1, true) + 1), ARGV[1])
  elseif kind == 'wait' then
    if command == 'RPOPLPUSH' then
      return admit()
    elseif command == 'LLEN' then
      return load(own).n
    end
    return rare().handle('wait', command, key, ...)
  elseif kind == 'delayed' then
    if command == 'ZRANGEBYSCORE' then
      return settle()
    elseif command == 'ZRANGE' then
      -- Tells the worker until when to block, on its own clock; gates count as well as delays.
      own.next = rare().next_due(own)
      if not own.next then
        return {}
      end
      return { '', (math.ceil(own.next) + tonumber(ARGV[2]) - math.floor(now())) * 0x1000 }
    elseif command == 'ZADD' then
      local due = ... / 0x1000
      if not own.next or due < own.next then
        own.next = due
      end
      return rare().handle('delayed', command, key, ...)
    end
  elseif kind == 'pc' then
    -- BullMQ counts places in a priority anew when it has found none there. Jobs may be held.
    if command == 'DEL' then
      return 0
    end
  elseif command == 'ZPOPMIN' then
    -- Of prioritized: admission has looked there too.
    return {}
  elseif command ~= 'ZCARD' then
    return rare().handle('prioritized', command, key, ...)
  end
  return call(command, key, ...)
end

local redirected = { call = redirect, pcall = redis.pcall, now = now, lanes = rare }

-- One run of BullMQ's script, and what is left to do for the job it handed out.
local function run()
  if FINISHING then
    mine[KEYS[11]], mine[KEYS[12]] = 'finished', 'job'
  end
  local reply = bull(redirected, KEYS, ARGV)
  end_attempt()

  local job = type(reply) == 'table' and reply[1]
  if type(job) == 'table' then
    local name, cost = false, 1
    for i = 1, #job, 2 do
      if job[i] == 'name' or job[i] == 'data' then
        name = true
        if not own.x then
          break
        end
      elseif job[i] == 'lc' then
        cost = tonumber(job[i + 1])
      end
    end
    if own.served then
      local tag = own.v + cost
      call('ZADD', own.ready, tag % 1 == 0 and string.format('%d', tag) or tag, own.served)
    end
    if not name then
      reply = rare().drop_ghost(own, reply[2])
    end
  end
  if type(reply) == 'table' and (own.next or own.fence) then
    reply[5] = {
      own.next and math.ceil(own.next) or 0,
      own.now and math.floor(own.now) or 0,
      own.fence or '',
      own.token or '',
    }
  end
  own.served, own.fence, own.token = nil, nil, nil
  return reply
end

local function finish()
  if own.rare then
    own.rare.save_others()
  end
  save(own)
end
