--[[
  Records of claims, and the lanes that wait for one to end.

  P::q:<queue>:k (hash): job -> record "<fence> <kinds> <lane>"; kinds: 1 the gate counts it, 2 the group's total, 3 both.
  Records are longer than they need be, since Redis walks through a hash whose values have 64 bytes or less.
  P::waiting (sorted set): "<lane>:<queue>" of every lane that is held because its gate is full. A queue's name holds no
  colon. In most calls it is empty, which is asked once.
]]
local PREFIX = string.match(BASE, '^(.*):[^:]*:$')
local WAITING = PREFIX .. '::waiting'

-- The name of a context's queue.
local function queue_of(c)
  return string.match(c.base, '([^:]*):$')
end

local function keep_claim(c, id, record)
  if c == own and own.put_off then
    own.put_off('HSET', c.own .. ':k', id, record)
  else
    call('HSET', c.own .. ':k', id, record)
  end
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
  if own.none_waits == nil then
    own.none_waits = call('EXISTS', WAITING) == 0
  end
  if not own.none_waits then
    for _, member in ipairs(call('ZRANGEBYLEX', WAITING, '[' .. lane .. ':', '(' .. lane .. ';')) do
      local queue = string.sub(member, #lane + 2)
      if not string.find(queue, ':', 1, true) then
        queues[#queues + 1] = queue
      end
    end
  end
  return queues
end
