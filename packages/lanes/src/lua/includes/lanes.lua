--[[
  Lanes: one account's waiting jobs of one group in one queue ("<group>:<account>").

  A lane with jobs is in exactly one of two sets of its group: ready (its gate is open) or held.
  Both keep the account's tag, so being held or empty earns no credit. An emptied lane stays in
  ready until virtual time reaches its tag: only then may the tag be forgotten.
]]
local SHARED = 'default:'

local lane_of_key = {}

local function split(lane)
  local at = string.find(lane, ':', 1, true)
  return string.sub(lane, 1, at - 1), string.sub(lane, at + 1)
end

-- Remembered for the call, since several BullMQ scripts delete the hash before the id.
local function lane_of(c, id)
  local key = c.base .. id
  local lane = lane_of_key[key]
  if not lane then
    lane = call('HGET', key, 'ln') or SHARED
    lane_of_key[key] = lane
  end
  return lane
end

local function length(c, lane)
  return call('LLEN', c.own .. ':l:' .. lane) + call('ZCARD', c.own .. ':p:' .. lane)
end

local function is_held(c, g, a)
  return c.lim and call('ZSCORE', c.own .. ':h:' .. g, a)
end

-- The tag of an account that has lanes in several groups is the highest of them.
local function account_tag(c, a, least)
  local tag = least
  for _, g in ipairs(c.groups) do
    local ready = tonumber(call('ZSCORE', c.own .. ':r:' .. g, a) or nil)
    local held = tonumber(call('ZSCORE', c.own .. ':h:' .. g, a) or nil)
    if ready and ready > tag then
      tag = ready
    end
    if held and held > tag then
      tag = held
    end
  end
  return tag
end

-- First lane of a group in this queue: the queue becomes, or already is, a queue of lanes.
local function add_group(c, g)
  c.groups[#c.groups + 1] = g
  c.g = c.g and (c.g .. ',' .. g) or g
  call('HSET', c.own, 'g', c.g)
  if #c.groups == 1 then
    local queue = string.match(c.base, '([^:]*):$')
    call('SADD', prefix() .. '::queues', queue)
    call('HSET', c.base .. 'meta', 'lanes', 1)
    c.lim = tonumber(call('HGET', prefix() .. '::conf', 'lim') or nil)
    if c.lim then
      call('HSET', c.own, 'lim', c.lim)
    end
  end
end

local function has_group(c, g)
  for i = 1, #c.groups do
    if c.groups[i] == g then
      return true
    end
  end
end

local function hold(c, g, a, tag, at, why)
  local lane = g .. ':' .. a
  call('ZADD', c.own .. ':h:' .. g, tag, a)
  call('ZREM', c.own .. ':r:' .. g, a)
  c.e = c.e - length(c, lane)
  c.dirty = true
  if at < huge then
    call('ZADD', c.own .. ':c', at, lane)
    if not c.next or at < c.next then
      c.next = at
    end
  elseif why == 'in_flight' then
    call('SADD', prefix() .. '::w:' .. lane, string.match(c.base, '([^:]*):$'))
  end
end

local function unhold(c, g, a)
  local held = call('ZSCORE', c.own .. ':h:' .. g, a)
  if not held then
    return false
  end
  local lane = g .. ':' .. a
  load(c)
  local tag = tonumber(held)
  if tag < c.v then
    tag = c.v
  end
  if #c.groups > 1 then
    tag = account_tag(c, a, tag)
  end
  call('ZADD', c.own .. ':r:' .. g, tag, a)
  call('ZREM', c.own .. ':h:' .. g, a)
  call('ZREM', c.own .. ':c', lane)
  c.e = c.e + length(c, lane)
  c.dirty, c.wake = true, true
  return true
end

-- A lane has got a job. Counts it as eligible unless its gate is closed.
local function enter(c, g, a, lane)
  if is_held(c, g, a) then
    return
  end
  c.e = c.e + 1
  if not has_group(c, g) then
    add_group(c, g)
  end
  local tag = c.v
  if #c.groups > 1 then
    tag = account_tag(c, a, tag)
  end
  if call('ZADD', c.own .. ':r:' .. g, 'NX', tag, a) == 1 then
    call('ZADD', c.own .. ':s', 'NX', floor(now()), lane)
  end
  if c.lim then
    local at, why = closed(gate_of(c, g, a), 1)
    if at then
      hold(c, g, a, tonumber(call('ZSCORE', c.own .. ':r:' .. g, a)), at, why)
    end
  end
end

-- BullMQ's LPUSH (behind the others) or RPUSH (next in turn) on wait.
local function push(c, lane, command, id)
  load(c)
  local count = call(command, c.own .. ':l:' .. lane, id)
  c.n = c.n + 1
  c.dirty = true
  if count == 1 then
    local g, a = split(lane)
    enter(c, g, a, lane)
  elseif c.lim then
    local g, a = split(lane)
    if not is_held(c, g, a) then
      c.e = c.e + 1
    end
  else
    c.e = c.e + 1
  end
end

-- BullMQ's ZADD on prioritized, which stays as the queue's own index of these jobs.
local function push_prioritized(c, lane, score, id)
  load(c)
  call('ZADD', c.base .. 'prioritized', score, id)
  if call('ZADD', c.own .. ':p:' .. lane, score, id) == 1 then
    local g, a = split(lane)
    c.dirty = true
    enter(c, g, a, lane)
  end
end

local function uncount(c, lane, removed)
  if removed > 0 then
    local g, a = split(lane)
    if not is_held(c, g, a) then
      c.e = c.e - removed
    end
    c.dirty = true
  end
  return removed
end

local function take(c, id, count)
  load(c)
  local lane = lane_of(c, id)
  local removed = call('LREM', c.own .. ':l:' .. lane, count, id)
  c.n = c.n - removed
  return uncount(c, lane, removed)
end

local function take_prioritized(c, id)
  load(c)
  local lane = lane_of(c, id)
  call('ZREM', c.base .. 'prioritized', id)
  return uncount(c, lane, call('ZREM', c.own .. ':p:' .. lane, id))
end
