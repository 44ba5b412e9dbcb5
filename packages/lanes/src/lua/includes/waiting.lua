--[[
  Lanes that are held because their gate is full, and wait for a claim of it to end.

  P::waiting (sorted set): "<lane>:<queue>" of each. A queue's name holds no colon.
]]
local WAITING = passing.WAITING

-- The name of a context's queue.
local function queue_of(c)
  return string.match(c.base, '([^:]*):$')
end

local function split(lane)
  local at = string.find(lane, ':', 1, true)
  return string.sub(lane, 1, at - 1), string.sub(lane, at + 1)
end

local function await_claim(c, lane)
  call('ZADD', WAITING, 0, lane .. ':' .. queue_of(c))
  own.none_waits = false
end

local function await_no_claim(c, lane)
  call('ZREM', WAITING, lane .. ':' .. queue_of(c))
end

-- Queues whose lane waits for a claim of its gate to end.
local function waiting_queues(lane)
  local queues = {}
  for _, member in ipairs(call('ZRANGEBYLEX', WAITING, '[' .. lane .. ':', '(' .. lane .. ';')) do
    local queue = string.sub(member, #lane + 2)
    if not string.find(queue, ':', 1, true) then
      queues[#queues + 1] = queue
    end
  end
  return queues
end
