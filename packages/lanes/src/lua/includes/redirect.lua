--[[
  The `redis` that BullMQ's script is given. Its call and pcall look the key up in a table of
  routes: one lookup for the keys that are not ours, a function for those that are.
]]
local routes = {}
local lane_at_birth, cost_at_birth, tag_at_birth

local function on_wait(c)
  return function(command, _, ...)
    if command == 'LPUSH' or command == 'RPUSH' then
      local ids = { ... }
      for i = 1, #ids do
        push(c, lane_of(c, ids[i]), command, ids[i])
      end
      return c.n
    elseif command == 'RPOPLPUSH' then
      return admit(c)
    end
    return read_wait(c, command, ...)
  end
end

local function on_prioritized(c)
  return function(command, key, ...)
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
    elseif command == 'ZPOPMIN' then
      return {}
    end
    return call(command, key, ...)
  end
end

local function on_active(c)
  return function(command, key, ...)
    local reply = call(command, key, ...)
    if command == 'LREM' and reply > 0 then
      local _, id = ...
      release(c, id)
    end
    return reply
  end
end

-- BullMQ reads the head to tell the worker until when to block: that is the worker's clock, and
-- gates count as well as delays.
local function on_delayed(c, worker_now)
  return function(command, key, ...)
    if command == 'ZRANGEBYSCORE' and worker_now then
      load(c)
      promote(c)
      if c.lim then
        open_due(c)
      end
      return {}
    elseif command == 'ZRANGE' and worker_now then
      c.next = next_due(c)
      if c.next then
        local skew = worker_now - floor(now())
        return { '', (math.ceil(c.next) + skew) * 0x1000 }
      end
      return {}
    elseif command == 'ZADD' then
      local score, id = ...
      index_delayed(c, lane_of(c, id), id, score)
      local due = score / 0x1000
      if not c.next or due < c.next then
        c.next = due
      end
    elseif command == 'ZREM' then
      local ids = { ... }
      for i = 1, #ids do
        unindex_delayed(c, lane_of(c, ids[i]), ids[i])
      end
    end
    return call(command, key, ...)
  end
end

local function on_finished(c, state)
  return function(command, key, ...)
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

-- "0" says that there is work: ours to decide. "1" says when a delayed job is due: a worker that
-- runs an activating script hears it in the reply instead.
local function on_marker(c, activating)
  return function(command, key, ...)
    if command == 'ZADD' then
      local _, member = ...
      if member == '0' then
        c.wake = true
        return 0
      elseif activating then
        return 0
      end
    end
    return call(command, key, ...)
  end
end

local function route_queue(c, worker_now)
  local base = c.base
  routes[base .. 'wait'] = on_wait(c)
  routes[base .. 'prioritized'] = on_prioritized(c)
  routes[base .. 'active'] = on_active(c)
  routes[base .. 'delayed'] = on_delayed(c, worker_now)
  routes[base .. 'marker'] = on_marker(c, worker_now)
end

local function route_finished(c)
  routes[c.base .. 'completed'] = on_finished(c, 'completed')
  routes[c.base .. 'failed'] = on_finished(c, 'failed')
end

local FOREIGN = {
  wait = true, prioritized = true, active = true, delayed = true, marker = true,
  completed = true, failed = true,
}

-- Keys of other queues: a parent's queue is routed only when lane workers serve it.
local function route_others()
  setmetatable(routes, {
    __index = function(_, key)
      local kind = string.match(key, ':([a-z]+)$')
      local handler = false
      if kind and FOREIGN[kind] then
        local c = context_of_key(key)
        if c and c.lanes and c.base .. kind == key then
          route_queue(c)
          route_finished(c)
          handler = rawget(routes, key)
        end
      end
      routes[key] = handler
      return handler
    end,
  })
end

-- A job is born: its lane is written with it. Jobs made inside BullMQ's scripts (successors of
-- deduplicated jobs, iterations of schedulers) carry the lane in their options.
local function lane_in_options(json)
  if not string.find(json, '"lane"', 1, true) then
    return nil
  end
  local lane = cjson.decode(json).lane
  if type(lane) == 'table' and lane.account then
    return (lane.group or 'default') .. ':' .. lane.account, lane.cost, lane.tag
  end
end

local function birth(key, ...)
  local lane, cost, tag = lane_at_birth, cost_at_birth, tag_at_birth
  if not lane then
    lane, cost, tag = lane_in_options((select(6, ...)))
  end
  lane_of_key[key] = lane or SHARED
  if not lane then
    return call('HMSET', key, ...)
  end
  if not tag and not cost then
    return call('HMSET', key, 'ln', lane, ...)
  end
  if tag then
    local c, id = context_of_key(key)
    index_tag(c, tag, id)
  end
  call('HMSET', key, 'ln', lane, 'lc', cost or 1, ...)
  if tag then
    call('HSET', key, 'tg', tag)
  end
  return { ok = 'OK' }
end

local function elsewhere(real, command, key, ...)
  if command == 'HMSET' then
    if ... == 'name' then
      return birth(key, ...)
    end
  elseif command == 'DEL' then
    local second = ...
    if second then
      if second == key .. ':logs' then
        job_deleted(key)
      elseif key == BASE .. 'events' then
        queue_deleted(own_context)
      end
    end
  end
  return real(command, key, ...)
end

local function redirect(real)
  return function(command, key, ...)
    local handler = routes[key]
    if handler then
      return handler(command, key, ...)
    end
    return elsewhere(real, command, key, ...)
  end
end

local redirected = { call = redirect(redis.call), pcall = redirect(redis.pcall) }
