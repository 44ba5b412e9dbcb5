--[[
  Runs a BullMQ script that may hand out a job (moveToActive, moveToFinished, moveToDelayed) or
  that promotes delayed ones (retryJob): `bull_run`. WAIT, META and so on
  stand for the script's KEYS of these names.

  KEYS: BullMQ's, then the stem of the queue's keys. ARGV: BullMQ's (ARGV[2] is the worker's
  clock), then the queue's key prefix and a time for tests ('' = the server's).
  Returns BullMQ's reply. The fields of a job that has taken a claim end with one more, `lane:claim`: the claim's fence and
  the lock's token. Where no job is handed out, the fifth element is { next, now }: when something becomes due next (0 =
  not known), and the time, on the server's clock. BullMQ reads four.
]]
own.meta, own.marker = META, MARKER

-- The account whose job this run hands out, until its tag has moved.
local served_last
-- What this call has done: the next runs need not do it again.
local settled, trimmed

-- The next job of an account, which costs 1, and whose gate is open. Where jobs are looked at the tag is moved at the
-- end, when the job's fields are known. false where the lane's list is empty, nil where it takes the long way to know.
local function serve(account, tag)
  local id, finish, closed
  if own.lim and not listed_free then
    id, finish, closed = passing().pass(own, own.g, account, tag, lane_stem .. account, ACTIVE)
  else
    id = call('RPOPLPUSH', lane_stem .. account, ACTIVE)
  end
  if not id then
    return id
  end
  own.n, own.e, own.dirty = own.n - 1, own.e - 1, true
  if finish then
    move_tag(account, finish)
    if closed then
      local at, why = gated().closed(gated().gate_of(own, own.g, account), 1)
      long_way(choosing).hold(own, own.g, account, finish, at, why)
    end
    return id
  end
  if tag > own.v then
    own.v = tag
  end
  if own.x then
    served_last = account
  else
    move_tag(account, own.v + JOB)
  end
  return id
end

-- Admission in a queue of one group. Accounts whose lanes were emptied earlier are met when it is their turn again.
local function admit()
  local lim = own.lim
  if own.e <= 0 and not (lim and lim >= 8) then
    long_way(idle).tidy(own)
    if own.e <= 0 then
      return false
    end
  end
  if own.many or lim and (own.x or lim >= 4) then
    return long_way(choosing).admit(own)
  end
  repeat
    local account, tag = next_account()
    local id = account and serve(account, tag)
    if id then
      return id
    elseif not account or id == nil or not is_emptied(account) then
      return long_way(choosing).admit(own)
    end
  until not pass_over(account, tag)
  own.again = true
  return false
end

-- BullMQ promotes delayed jobs here, by the worker's clock; ours go by the server's. What is not due yet is remembered.
local function settle()
  settled = true
  local delayed = tonumber(call('ZRANGE', DELAYED, '0', '0', 'WITHSCORES')[2]) or math.huge
  if delayed < (math.floor(now()) + 1) * 0x1000 then
    long_way(rare).promote(own)
  else
    own.delayed = delayed
  end
  if own.lim then
    local opens = tonumber(call('ZRANGE', own.own .. ':c', '0', '0', 'WITHSCORES')[2]) or math.huge
    if opens <= now() then
      long_way(rare).open_due(own)
    else
      own.opens = opens
    end
  end
end

-- Four fields are what it takes to hand out a job, two whether that may be.
local function on_HMGET(command, key, ...)
  if key ~= META or select(2, ...) ~= 'concurrency' then
    return read_job(command, key, ...)
  elseif settings then
    return settings
  end
  local fields = call(command, key, ...)
  if select('#', ...) == 4 then
    settings = fields
  end
  return fields
end

-- Trimming is about: once a call will do.
local function on_XTRIM(command, ...)
  if trimmed then
    return 0
  end
  trimmed = true
  return call(command, ...)
end

local function on_LREM(command, key, count, id)
  if key ~= ACTIVE then
    return pass_on(command, key, count, id)
  end
  local reply = call(command, key, count, id)
  if reply > 0 and own.lim and not (own.unclaimed or reading().is_unclaimed()) then
    passing().attempt_ended(id)
  end
  return reply
end

local function on_RPOPLPUSH(command, key, ...)
  if key == WAIT then
    return admit()
  end
  return pass_on(command, key, ...)
end

local function on_LLEN(command, key)
  if key == WAIT then
    return own.n
  end
  return pass_on(command, key)
end

local function on_ZRANGEBYSCORE(command, key, ...)
  if key == DELAYED then
    if not settled then
      settle()
    end
    return {}
  end
  return pass_on(command, key, ...)
end

local function on_ZRANGE(command, key, ...)
  if key == DELAYED then
    -- BullMQ would tell this worker until when to block; it is told when to wake one. Gates count as well as delays.
    own.next = idle().next_due(own)
    return {}
  end
  return pass_on(command, key, ...)
end

local function on_ZPOPMIN(command, key, ...)
  if key == PRIORITIZED then
    -- Admission has looked there too.
    return {}
  end
  return pass_on(command, key, ...)
end

-- BullMQ counts a delay from the worker's clock, which may be wrong by hours: it begins now, on the server's, and the job
-- goes behind those that are due in the same millisecond.
local function score_of(key, score)
  local off = math.floor(now()) - tonumber(ARGV[2])
  if off == 0 then
    return score
  end
  local first = (math.floor(score / 0x1000) + off) * 0x1000
  local last = call('ZREVRANGEBYSCORE', key, string.format('(%.0f', first + 0x1000), string.format('%.0f', first),
    'WITHSCORES', 'LIMIT', '0', '1')[2]
  return last and math.min(last + 1, first + 0xFFF) or first
end

local function delay(command, key, score, id)
  score = score_of(key, score)
  local due = score / 0x1000
  if not own.next or due < own.next then
    own.next = due
  end
  return long_way(rare).handle('delayed', command, key, score, id)
end

local function put_finished(command, key, ...)
  if ARGV[5] ~= 'completed' then
    return long_way(rare).handle(ARGV[5], command, key, ...)
  end
  local its = lane_of_finishing()
  call('LPUSH', own.own .. ':x:c:' .. string.sub(its, string.find(its, ':', 1, true) + 1), ARGV[1])
  return call(command, key, ...)
end

local function on_ZADD(command, key, score, member, ...)
  if FINISHING and key == KEYS[11] then
    return put_finished(command, key, score, member, ...)
  elseif key == MARKER and member == '0' then
    own.wake = true
    return 0
  elseif key == DELAYED then
    return delay(command, key, score, member)
  elseif key == PRIORITIZED then
    return long_way(rare).handle('prioritized', command, key, score, member, ...)
  end
  return pass_on(command, key, score, member, ...)
end

-- Commands that have no handler, or whose name is known only when they run: those that add to a list.
local function redirect(command, key, ...)
  local kind = key == WAIT and 'wait' or key == PRIORITIZED and 'prioritized' or FINISHING and key == KEYS[11] and ARGV[5]
  if kind then
    return long_way(rare).handle(kind, command, key, ...)
  end
  return pass_on(command, key, ...)
end

local bull_redis = {
  call = redirect, pcall = redis.pcall, now = now, lanes = function() return long_way(rare) end,
}
-- BullMQ's script, which is built behind all this.
local bull_run

-- What is left to do for the job that is handed out, where it is looked at: its account's tag, and whether it is one.
local function look_at(job, reply)
  local cost = 1
  for i = 1, #job, 2 do
    if job[i] == 'lc' then
      cost = tonumber(job[i + 1])
    end
  end
  if served_last then
    move_tag(served_last, own.v + cost * JOB)
  end
  if not whole then
    return long_way(rare).drop_ghost(own, reply[2])
  end
  return reply
end

-- One run of BullMQ's script.
local function run()
  job_key, finishing, attempts, asks_children = FINISHING and KEYS[12], nil, nil, nil
  pass_on, started, handed, whole, token = call, nil, nil, nil, nil
  served_last, own.fence = nil, nil
  local reply = bull_run(KEYS, ARGV)
  if handed and (own.x or not whole) then
    reply = look_at(handed, reply)
  end
  if own.fence and handed then
    local last = #handed
    handed[last + 1], handed[last + 2] = 'lane:claim', own.fence .. ' ' .. (token or '')
  end
  if not handed and type(reply) == 'table' then
    -- It is idle: told so, it costs no marker.
    reply[5] = { own.next and math.ceil(own.next) or 0, math.floor(now()) }
    own.next, own.total_opens = nil, nil
  end
  return reply
end

local function finish()
  own.write_back()
  if own.rare then
    own.rare.save_others()
  end
  save(own)
end
