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

-- Admission in a queue of one group, of a job that costs 1, from a lane whose gate is open. Without limits the tag
-- is moved at the end, when the job's fields are known.
local function admit()
  load(own)
  local lim = own.lim
  if own.many or own.e <= 0 or lim and (own.x or lim >= 4) then
    return long_way(choosing).admit(own)
  end
  own.ready = own.own .. ':r:' .. own.g
  local account, tag = next_account()
  if not account then
    return long_way(choosing).admit(own)
  end
  local id, finish, closed
  if lim then
    id, finish, closed = gated().pass(own, own.g, account, tag)
  else
    id = call('RPOPLPUSH', own.own .. ':l:' .. own.g .. ':' .. account, ACTIVE)
  end
  if not id then
    return long_way(choosing).admit(own)
  end
  own.n = own.n - 1
  own.e = own.e - 1
  own.dirty = true
  if not lim then
    if tag > own.v then
      own.v = tag
    end
    own.served = account
    return id
  end
  move_tag(account, finish)
  if closed then
    local at, why = gated().closed(gated().gate_of(own, own.g, account), 1)
    long_way(choosing).hold(own, own.g, account, finish, at, why)
  end
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
    long_way(rare).promote(own)
  end
  if own.lim and call('ZRANGEBYSCORE', own.own .. ':c', '-inf', now(), 'LIMIT', '0', '1')[1] then
    long_way(rare).open_due(own)
  end
  return {}
end

-- What one run has read of this hash the next ones of the call need not read again.
mine[META] = function(command, key, ...)
  if command == 'HGET' then
    own.most_events = own.most_events or call('HGET', key, ...)
    return own.most_events
  elseif command ~= 'HMGET' then
    return call(command, key, ...)
  elseif own.settings then
    return own.settings
  end
  -- The state comes with what BullMQ reads: two fields or four.
  local a, b, d, e = ...
  local fields, from
  if e then
    fields, from = call('HMGET', key, a, b, d, e, 'lane:s', 'lane:g'), 5
    own.settings = fields
  else
    fields, from = call('HMGET', key, a, b, 'lane:s', 'lane:g'), 3
  end
  if not own.v then
    read_state(own, fields[from], fields[from + 1])
    end_attempt()
  end
  return fields
end

mine[MARKER] = function(command, key, ...)
  if command ~= 'ZADD' then
    return call(command, key, ...)
  elseif select(2, ...) == '0' then
    own.wake = true
    return 0
  end
  -- "1" tells when a delayed job is due: for all workers, so on the server's clock.
  return call('ZADD', key, math.ceil(own.next), '1')
end

mine[ACTIVE] = function(command, key, ...)
  local reply = call(command, key, ...)
  if command == 'LREM' and reply > 0 then
    own.ended = select(2, ...)
    if own.v then
      end_attempt()
    end
  end
  return reply
end

mine[WAIT] = function(command, key, ...)
  if command == 'RPOPLPUSH' then
    return admit()
  elseif command == 'LLEN' then
    return load(own).n
  end
  return long_way(rare).handle('wait', command, key, ...)
end

mine[DELAYED] = function(command, key, ...)
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
    -- Counted from the worker's clock, which may be wrong by hours: the delay begins now, on the server's.
    local score, id = ...
    score = score + (math.floor(now()) - tonumber(ARGV[2])) * 0x1000
    local due = score / 0x1000
    if not own.next or due < own.next then
      own.next = due
    end
    return long_way(rare).handle('delayed', command, key, score, id)
  end
  return call(command, key, ...)
end

mine[PRIORITIZED] = function(command, key, ...)
  if command == 'ZPOPMIN' then
    -- Admission has looked there too.
    return {}
  elseif command == 'ZCARD' then
    return call('ZCARD', key)
  end
  return long_way(rare).handle('prioritized', command, key, ...)
end

-- BullMQ counts places in a priority anew when it has found none there. Jobs may be held.
mine[PC] = function(command, key, ...)
  return command == 'DEL' and 0 or call(command, key, ...)
end

local function on_events(command, key, ...)
  -- Trimming is about: once a call will do.
  if command == 'XTRIM' then
    if own.trimmed then
      return 0
    end
    own.trimmed = true
  end
  return call(command, key, ...)
end

local function on_finished(command, key, ...)
  if command ~= 'ZADD' or ARGV[5] ~= 'completed' then
    return long_way(rare).handle(ARGV[5], command, key, ...)
  end
  call('LPUSH', own.own .. ':x:c:' .. string.match(own.lane_of[KEYS[12]], ':(.*)'), ARGV[1])
  return call(command, key, ...)
end

local redirected = {
  call = redirect, pcall = redis.pcall, now = now, lanes = function() return long_way(rare) end,
}

local finish_or_take = bull(redirected)

-- One run of BullMQ's script, and what is left to do for the job it handed out.
local function run()
  if FINISHING then
    mine[KEYS[4]], mine[KEYS[11]], mine[KEYS[12]] = on_events, on_finished, finishing
  end
  local reply = finish_or_take(KEYS, ARGV)
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
      move_tag(own.served, own.v + cost)
    end
    if not name then
      reply = long_way(rare).drop_ghost(own, reply[2])
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
  own.write_back()
  if own.rare then
    own.rare.save_others()
  end
  save(own)
end
