--[[
  Runs a BullMQ script that adds one job, `bull_run`. WAIT, META and so on
  stand for the script's KEYS of these names.

  KEYS: BullMQ's, then the stem of the queue's keys. ARGV: BullMQ's, then the job's lane ('' =
  the shared one), '' or JSON { cost, tag, parent }, the queue's key prefix, a time for tests.
  Returns BullMQ's reply. A script around BullMQ's may ask `redis.waiting()` before it adds the job.
]]
own.meta, own.marker = META, MARKER

-- The job that this run adds: its lane, what was given of it, what else, and its key once it is born.
local lane, given, more, born

-- A job with a parent: this run may touch any job of any queue, by any command.
local function of_any_queue(command, key, ...)
  return rare().redirect(command, key, ...)
end

-- The job waits in its lane: the common cases here, a new lane under limits the long way.
local function wait(command, id)
  local count = call(command, own.own .. ':l:' .. lane, id)
  own.dirty = true
  if count > 1 and not own.lim then
    own.n, own.e = own.n + 1, own.e + 1
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
    if join_ready(own, own.own .. ':r:' .. g, arrival(own), a) then
      call('ZADD', own.own .. ':s', 'NX', string.format('%d', now()), lane)
      call('ZADD', string.match(own.base, '^(.*):[^:]*:$') .. '::accounts', 'NX', '0', a)
    end
    own.e = own.e + 1
  elseif not call('ZSCORE', own.own .. ':h:' .. g, a) then
    own.e = own.e + 1
  end
  return count
end

local function on_HMGET(command, key, ...)
  if key == META and select(2, ...) == 'concurrency' then
    settings = settings or call(command, key, ...)
    return settings
  end
  return pass_on(command, key, ...)
end

local function delay(command, key, score, id)
  if own.base .. id ~= born then
    return rare().handle('delayed', command, key, score, id)
  end
  local account = string.sub(lane, string.find(lane, ':', 1, true) + 1)
  call('ZADD', own.own .. ':x:d:' .. account, string.format('%d', score / 0x1000), id)
  return call(command, key, score, id)
end

local function on_ZADD(command, key, score, member, ...)
  if key == MARKER and member == '0' then
    own.wake = true
    return 0
  elseif key == DELAYED then
    return delay(command, key, score, member)
  elseif key == PRIORITIZED then
    return rare().handle('prioritized', command, key, score, member, ...)
  end
  return pass_on(command, key, score, member, ...)
end

local function on_ZREM(command, key, ...)
  local kind = key == DELAYED and 'delayed' or key == PRIORITIZED and 'prioritized'
  if kind then
    return rare().handle(kind, command, key, ...)
  end
  return pass_on(command, key, ...)
end

local function bear(command, key, ...)
  born = key
  own.lane_of[key] = lane
  if more and (more.cost or more.parent) then
    return rare().birth(key, given ~= '' and given or nil, more.cost, more.tag, ...)
  elseif more then
    -- A tag alone is common, and not worth building the rest for.
    call('ZADD', own.own .. ':x:t:' .. more.tag, string.format('%d', now()), string.sub(key, #own.base + 1))
    return call(command, key, 'ln', given, 'tg', more.tag, ...)
  elseif given == '' then
    return call(command, key, ...)
  end
  return call(command, key, 'ln', given, ...)
end

local function on_HMSET(command, key, ...)
  if ... == 'name' then
    return bear(command, key, ...)
  end
  return pass_on(command, key, ...)
end

local function on_DEL(command, key, ...)
  return rare().redirect(command, key, ...)
end

-- Commands that have no handler, or whose name is known only when they run: those that add to a list.
local function redirect(command, key, ...)
  if key == WAIT then
    if own.base .. ... ~= born then
      return rare().handle('wait', command, key, ...)
    end
    return wait(command, (...))
  end
  return pass_on(command, key, ...)
end

-- Jobs that wait in the queue: ready, held, for their time or for a retry. From `from` on those of the job's account
-- are counted too, since an account has no more than all: one command for each of its groups.
local function waiting(from)
  local all = own.n + call('ZCARD', PRIORITIZED) + call('ZCARD', DELAYED)
  if all < from then
    return all, all
  end
  local account = string.sub(lane, string.find(lane, ':', 1, true) + 1)
  local of_account = call('ZCARD', own.own .. ':x:d:' .. account)
  for g in string.gmatch(own.g or '', '[^,]+') do
    local each = g .. ':' .. account
    of_account = of_account + call('LLEN', own.own .. ':l:' .. each) + call('ZCARD', own.own .. ':p:' .. each)
  end
  return all, of_account
end

local bull_redis = { call = redirect, pcall = redis.pcall, now = now, lanes = rare, waiting = waiting }
-- BullMQ's script, which is built behind all this.
local bull_run

-- One run of BullMQ's script.
local function run()
  local extra = table.remove(ARGV)
  given = table.remove(ARGV)
  lane = given ~= '' and given or 'default:'
  more = extra ~= '' and cjson.decode(extra) or nil
  pass_on = more and more.parent and of_any_queue or call
  born = nil
  local reply = bull_run(KEYS, ARGV)
  if born and not own.g then
    -- A queue of lanes from its first job on, so that parents find their way back into it.
    rare().add_group(own, string.sub(lane, 1, string.find(lane, ':', 1, true) - 1))
  end
  return reply
end

local function finish()
  if own.rare then
    own.rare.save_others()
  end
  save(own)
end
