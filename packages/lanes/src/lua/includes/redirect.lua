--[[
  Every key of BullMQ's that is ours, by its kind, for any queue of lanes. The scripts that take
  and give jobs answer their common cases themselves and come here for the others.
]]
local KINDS = {
  wait = true, prioritized = true, active = true, delayed = true, marker = true,
  completed = true, failed = true, cancelled = true,
}

local handlers = {}

function handlers.wait(c, command, _, ...)
  if command == 'LPUSH' or command == 'RPUSH' then
    local ids = { ... }
    for i = 1, #ids do
      push(c, lane_of(c, ids[i]), command, ids[i])
    end
    return c.n
  elseif command == 'RPOPLPUSH' then
    return choosing.admit(c)
  end
  return read_wait(c, command, ...)
end

function handlers.prioritized(c, command, key, ...)
  if command == 'ZADD' then
    local score, id = ...
    push_prioritized(c, lane_of(c, id), score, id)
    return 1
  elseif command == 'ZREM' then
    local ids, removed = { ... }, 0
    for i = 1, #ids do
      removed = removed + take_prioritized(c, ids[i])
    end
    return removed
  end
  return call(command, key, ...)
end

-- A claim ends when BullMQ agrees that the attempt has. The handler of a job that is removed
-- while active may still run: the audit ends that claim, after lease and grace.
function handlers.active(c, command, key, ...)
  local reply = call(command, key, ...)
  if command == 'LREM' and reply > 0 and ENDS_ATTEMPT then
    local _, id = ...
    gated.release(c, id)
  end
  return reply
end

function handlers.delayed(c, command, key, ...)
  if command == 'ZADD' then
    local score, id = ...
    index_delayed(c, lane_of(c, id), id, score)
  elseif command == 'ZREM' then
    local ids = { ... }
    for i = 1, #ids do
      unindex_delayed(c, lane_of(c, ids[i]), ids[i], true)
    end
  end
  return call(command, key, ...)
end

local function finished(state)
  return function(c, command, key, ...)
    if command == 'ZADD' then
      local at, id = ...
      index_finished(c, state, lane_of(c, id), id, at)
    elseif command == 'ZREM' then
      local ids = { ... }
      for i = 1, #ids do
        local job = c.base .. ids[i]
        if not deleted[job] then
          unindex_finished(c, state, lane_of(c, ids[i]), ids[i])
          unindexed[job] = true
        end
      end
    end
    return call(command, key, ...)
  end
end
handlers.completed = finished('completed')
handlers.failed = finished('failed')
-- BullMQ knows no such state; scripts around its own keep it like the other two.
handlers.cancelled = finished('cancelled')

-- "0" says that there is work: ours to decide, at the end of the call.
function handlers.marker(c, command, key, ...)
  if command == 'ZADD' then
    local _, member = ...
    if member == '0' then
      c.wake = true
      return 0
    end
  end
  return call(command, key, ...)
end

-- A job is born: its lane is written with it.
local function birth(key, lane, cost, tag, ...)
  lane_of_key[key] = lane or SHARED
  if lane then
    call('HMSET', key, 'ln', lane, ...)
  else
    call('HMSET', key, ...)
  end
  if cost and cost ~= 1 then
    call('HSET', key, 'lc', cost)
    look_at_jobs((context_of_key(key)))
  end
  if tag then
    local c, id = context_of_key(key)
    index_tag(c, tag, id)
    call('HSET', key, 'tg', tag)
  end
  return { ok = 'OK' }
end

-- A command on a key that has no route: a birth, a failure to come, a deletion, or none of ours.
local function elsewhere(command, key, ...)
  if command == 'HMSET' and ... == 'name' then
    local lane, cost, tag = lane_in_options((select(6, ...)))
    return birth(key, lane, cost, tag, ...)
  elseif command == 'HSET' and ... == 'defa' then
    local c = context_of_key(key)
    if c and c.lanes ~= false then
      look_at_jobs(c)
    end
  elseif command == 'DEL' and select('#', ...) > 0 then
    if ... == key .. ':logs' then
      job_deleted(key)
    elseif key == BASE .. 'events' then
      queue_deleted(own)
    end
  end
  return call(command, key, ...)
end

local routes = {}

-- Keys of other queues: a parent's queue is routed only when it is a queue of lanes.
local function redirect(command, key, ...)
  local route = routes[key]
  if route == nil then
    route = false
    local kind = string.match(key, ':([a-z]+)$')
    if kind and KINDS[kind] then
      local c = context_of_key(key)
      if c and (c == own or c.lanes) and c.base .. kind == key then
        route = { handlers[kind], c }
      end
    end
    routes[key] = route
  end
  if route then
    return route[1](route[2], command, key, ...)
  end
  return elsewhere(command, key, ...)
end

local function handle(kind, command, key, ...)
  return handlers[kind](own, command, key, ...)
end

local function save_others()
  for _, c in pairs(contexts) do
    if c ~= own then
      save(c)
    end
  end
end
