--[[
  Work that has become due: delayed jobs enter their lanes, closed gates open.

  BullMQ would decide by the worker's clock; here the server's clock does. A job back from a
  backoff goes to the front of its lane, since it was first once already; among several of
  them the earliest due one ends up next.
]]
local MAX_PROMOTED = 100
local MAX_OPENED = 100

local function promote(c)
  local delayed = c.base .. 'delayed'
  local due = (floor(now()) + 1) * 0x1000 - 1
  local ids = call('ZRANGEBYSCORE', delayed, 0, due, 'LIMIT', 0, MAX_PROMOTED)
  if #ids == 0 then
    return
  end
  local returning = {}
  for _, id in ipairs(ids) do
    local key = c.base .. id
    local job = call('HMGET', key, 'priority', 'ln', 'ats', 'name', 'data')
    if job[4] or job[5] then
      local lane = job[2] or SHARED
      local priority = tonumber(job[1]) or 0
      lane_of_key[key] = lane
      if priority > 0 then
        -- BullMQ's score: counter 0 is the front of a priority.
        local place = 0
        if not job[3] then
          place = call('INCR', c.base .. 'pc') % 0x100000000
        end
        push_prioritized(c, lane, priority * 0x100000000 + place, id)
      elseif job[3] then
        returning[#returning + 1] = id
      else
        push(c, lane, 'LPUSH', id)
      end
      unindex_delayed(c, lane, id, job[3])
      call('XADD', c.base .. 'events', '*', 'event', 'waiting', 'jobId', id, 'prev', 'delayed')
      call('HSET', key, 'delay', 0)
    end
  end
  for i = #returning, 1, -1 do
    push(c, lane_of(c, returning[i]), 'RPUSH', returning[i])
  end
  call('ZREM', delayed, unpack(ids))
  c.wake = true
  if #ids == MAX_PROMOTED then
    c.again = true
  end
end

-- Looks at one held lane again: opens it, or notes when to look next.
reconsider = function(c, g, a)
  load(c)
  local lane = g .. ':' .. a
  local at, why = closed(gate_of(c, g, a), choosing.next_cost(c, lane))
  if not at then
    gated.await_no_claim(c, lane)
    return unhold(c, g, a)
  elseif at < huge then
    -- What was due then before has been told.
    if call('ZADD', c.own .. ':c', 'CH', at, lane) == 1 and (not c.next or at < c.next) then
      c.next = at
    end
  else
    call('ZREM', c.own .. ':c', lane)
    if why == 'in_flight' then
      gated.await_claim(c, lane)
    end
  end
end

local function open_due(c)
  local lanes = call('ZRANGEBYSCORE', c.own .. ':c', '-inf', now(), 'LIMIT', 0, MAX_OPENED)
  for _, lane in ipairs(lanes) do
    local g, a = split(lane)
    reconsider(c, g, a)
  end
  if #lanes == MAX_OPENED then
    c.again = true
  end
end

local function reopen(queues, g, a)
  for _, queue in ipairs(queues) do
    reconsider(context_of_queue(queue), g, a)
  end
end

local function release_total(g)
  local key = PREFIX .. '::g:' .. g
  local left = call('HINCRBY', key, 'tn', -1)
  if left < 0 then
    call('HSET', key, 'tn', 0)
    left = 0
  end
  if totals[g] then
    totals[g].n = left
  end
  local waiting = PREFIX .. '::w:' .. g
  for _, queue in ipairs(call('SMEMBERS', waiting)) do
    load(context_of_queue(queue)).wake = true
  end
  call('DEL', waiting)
end
