--[[
  Records of claims, and the lanes that wait for one to end.

  P::q:<queue>:k (hash): job -> record, whose parts have fixed places, since each finish reads one:
    1  spaces; Redis walks through a hash whose values have 64 bytes or less
    31 fence: time and tag of the admission, 13 digits, "-" and 20 digits
    65 kinds: 1 the gate counts it, 2 the group's total, 3 both
    66 lane
  P::waiting (sorted set): "<lane>:<queue>" of every lane that is held because its gate is full. A queue's name holds no
  colon. In most calls it is empty, which is asked once.
]]
local WAITING = reading.PREFIX .. '::waiting'
local SPACES, FENCE_AT, KINDS_AT, LANE_AT = string.rep(' ', 30), 31, 65, 66

-- The name of a context's queue.
local function queue_of(c)
  return string.match(c.base, '([^:]*):$')
end

local function split(lane)
  local at = string.find(lane, ':', 1, true)
  return string.sub(lane, 1, at - 1), string.sub(lane, at + 1)
end

local time_text
-- The account's tag rises with every job served: with the time it tells this claim from all others of the job.
local function new_fence(tag)
  time_text = time_text or string.format('%013d-', now())
  return time_text .. string.format('%020d', tag < WHOLE and tag or WHOLE)
end

local function claim_record(fence, kinds, lane)
  return SPACES .. fence .. kinds .. lane
end

-- Fence, kinds and lane.
local function read_claim(record)
  return string.sub(record, FENCE_AT, KINDS_AT - 1), string.sub(record, KINDS_AT, KINDS_AT), string.sub(record, LANE_AT)
end

-- Claims of this queue that this call takes, with their records, and those that it ends, to be written together.
local taken, ended, last_taken, last_ended = {}, {}, 2, 2

local function keep_claim(c, id, record)
  if c == own and own.write_back then
    taken[last_taken + 1], taken[last_taken + 2] = id, record
    last_taken = last_taken + 2
  else
    call('HSET', c.own .. ':k', id, record)
  end
end

local function write_claims()
  if last_ended > 2 then
    ended[1], ended[2] = 'HDEL', own.own .. ':k'
    call(unpack(ended))
    ended, last_ended = {}, 2
  end
  if last_taken > 2 then
    taken[1], taken[2] = 'HSET', own.own .. ':k'
    call(unpack(taken))
    taken, last_taken = {}, 2
  end
end

local function await_claim(c, lane)
  call('ZADD', WAITING, 0, lane .. ':' .. queue_of(c))
  own.none_waits = false
end

local function await_no_claim(c, lane)
  call('ZREM', WAITING, lane .. ':' .. queue_of(c))
end

-- Whether some lane waits for a claim to end.
local function anyone_waits()
  if own.none_waits == nil then
    own.none_waits = call('EXISTS', WAITING) == 0
  end
  return not own.none_waits
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
