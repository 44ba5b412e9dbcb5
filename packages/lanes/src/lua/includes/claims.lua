--[[
  Records of claims, those that this call takes and ends.

  P::q:<queue>:k (hash): job -> record, whose parts have fixed places, since each finish reads one:
    1  spaces; Redis walks through a hash whose values have 64 bytes or less
    31 fence: time and tag of the admission, 13 digits, "-" and 20 digits
    65 kinds: 1 the gate counts it, 2 the group's total, 3 both
    66 lane

  The claims of a call are read, ended and taken with a command each, at its end. What ends before that counts until it
  makes a difference: to a gate that is full, to a lane that waits, or to a total.
]]
local SPACES, FENCE_AT, KINDS_AT, LANE_AT = string.rep(' ', 30), 31, 65, 66
local WAITING = reading.PREFIX .. '::waiting'

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

-- Of this queue, as the commands that write them: claims that this call takes, with their records, and ends.
local taken, ended, last_taken, last_ended = {}, {}, 2, 2
-- Jobs whose attempts have ended, and whose claims have still to be looked for.
local over, last_over = {}, 0

local function keep_claim(c, id, record)
  if c == own and own.write_back then
    taken[last_taken + 1], taken[last_taken + 2] = id, record
    last_taken = last_taken + 2
  else
    call('HSET', c.own .. ':k', id, record)
  end
end

-- Whether no lane waits for a claim to end. In most calls none does, which is asked once.
local function none_waits()
  if own.none_waits == nil then
    own.none_waits = call('EXISTS', WAITING) == 0
  end
  return own.none_waits
end

local left_stem = (left_of or '') .. ':'
local left_at = LANE_AT + #left_stem

-- Ends the claims of the jobs that are over, each once: the record decides.
local function end_claims()
  if last_over == 0 then
    return
  end
  local ids, count = over, last_over
  over, last_over = {}, 0
  local found, has_no_total = call('HMGET', own.own .. ':k', unpack(ids)), own.lim < 4
  for i = 1, count do
    local record = found[i]
    if record then
      last_ended = last_ended + 1
      ended[last_ended] = ids[i]
      if has_no_total and none_waits() and string.find(record, left_stem, LANE_AT, true) == LANE_AT then
        local a = string.sub(record, left_at)
        left[a] = (left[a] or 0) + 1
      else
        gated().leave(record)
      end
    end
  end
end

local function write_claims()
  end_claims()
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

-- An attempt at a job of this queue has ended, and its claim with it.
local function attempt_ended(id)
  last_over = last_over + 1
  over[last_over] = id
  if own.lim >= 4 or not none_waits() then
    end_claims()
  end
end
