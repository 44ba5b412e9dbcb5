--[[
  Release of a claim, once: the record decides, so a second release finds nothing to do.
  A gate that was full may open; its lanes are looked at in every queue that waits for it.
]]
-- Of the jobs that the runs of this call end: their claims, false where they have ended.
local claims

local function read_claims()
  claims = {}
  local ids = own.ending()
  local found = call('HMGET', own.own .. ':k', unpack(ids))
  for i = 1, #ids do
    claims[ids[i]] = found[i]
  end
end

-- One claim less of a gate, which may open.
local function leave_gate(g, a)
  count_claim(g, a, -1)
  if anyone_waits() then
    local waiting = waiting_queues(g .. ':' .. a)
    if waiting[1] then
      if own.write_back then
        own.write_back()
      end
      rare().reopen(waiting, g, a)
    end
  end
end

-- One claim less of all that counts it.
local function leave(record)
  local _, kinds, lane = read_claim(record)
  local g, a = split(lane)
  if kinds ~= '2' then
    leave_gate(g, a)
  end
  if kinds ~= '1' then
    rare().release_total(g)
  end
end

local left_stem = (left_of or '') .. ':'
local left_at = LANE_AT + #left_stem

-- Ends the claim of a job, once: 0 where it has ended before, or where another `fence` was meant.
local function release(c, id, fence)
  local record
  if c == own and own.ending then
    if not claims then
      read_claims()
    end
    record = claims[id]
    if record then
      claims[id] = false
      last_ended = last_ended + 1
      ended[last_ended] = id
      local is_plain = own.lim and own.lim < 4 and string.find(record, left_stem, LANE_AT, true) == LANE_AT
      if is_plain and (own.none_waits or not anyone_waits()) then
        local a = string.sub(record, left_at)
        left[a] = (left[a] or 0) + 1
      else
        leave(record)
      end
      return 1
    end
  end
  if record == nil and load(c).lim then
    record = call('HGET', c.own .. ':k', id)
  end
  if not record or fence and read_claim(record) ~= fence then
    return 0
  end
  call('HDEL', c.own .. ':k', id)
  leave(record)
  return 1
end
