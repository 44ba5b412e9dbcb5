--[[
  Release of a claim, once: the record decides, so a second release finds nothing to do.
  A gate that was full may open; its lanes are looked at in every queue that waits for it.
]]
local function release(c, id, fence)
  load(c)
  if not c.lim then
    return 0
  end
  local kinds, lane = '1', lane_of_key[c.base .. id]
  if fence or c.lim >= 4 or not lane then
    local record = known_claim(c, id)
    if record == nil then
      record = call('HGET', c.own .. ':k', id)
    end
    if not record then
      return 0
    end
    local taken
    taken, kinds, lane = string.match(record, '^(%S+) (%d) (.*)$')
    if fence and taken ~= fence then
      return 0
    end
  end
  if not end_claim(c, id) then
    return 0
  end
  local g, a = split(lane)
  if kinds ~= '2' then
    local key = PREFIX .. '::a:' .. a
    local left = call('HINCRBY', key, g .. ':n', '-1')
    if left < 0 then
      call('HSET', key, g .. ':n', '0')
      left = 0
    end
    if gates[lane] then
      gates[lane].n = left
    end
    local waiting = waiting_queues(lane)
    if waiting[1] then
      if own.write_back then
        own.write_back()
      end
      rare().reopen(waiting, g, a)
    end
  end
  if kinds ~= '1' then
    rare().release_total(g)
  end
  return 1
end
