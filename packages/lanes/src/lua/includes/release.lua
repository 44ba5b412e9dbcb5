--[[
  Release of a claim, once: the record decides, so a second release finds nothing to do.
  A gate that was full may open; its lanes are looked at in every queue that waits for it.
]]
local read_claim = passing.read_claim

-- One claim less of a gate, which may open.
local function leave_gate(g, a)
  count_claim(g, a, -1)
  if not passing.none_waits() then
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

-- Ends the claim of a job at once: 0 where it has ended before, or where another `fence` was meant.
local function release(c, id, fence)
  local record = load(c).lim and call('HGET', c.own .. ':k', id)
  if not record or fence and read_claim(record) ~= fence then
    return 0
  end
  call('HDEL', c.own .. ':k', id)
  leave(record)
  return 1
end
