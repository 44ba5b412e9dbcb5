--[[
  Release of a claim, once: the record decides, so a second release finds nothing to do.
  A gate that was full may open; its lanes are looked at in every queue that waits for it.
]]
local function context_of_queue(queue)
  local p = prefix()
  return context(p .. ':' .. queue .. ':', p .. '::q:' .. queue)
end

local function reopen(c, g, a)
  local waiting = prefix() .. '::w:' .. g .. ':' .. a
  for _, queue in ipairs(call('SMEMBERS', waiting)) do
    reconsider(context_of_queue(queue), g, a)
  end
end

local function reopen_total(g)
  local waiting = prefix() .. '::w:' .. g
  for _, queue in ipairs(call('SMEMBERS', waiting)) do
    local c = load(context_of_queue(queue))
    c.wake = true
  end
  call('DEL', waiting)
end

local function release(c, id, fence)
  load(c)
  if not c.lim then
    return 0
  end
  local record = call('HGET', c.own .. ':k', id)
  if not record then
    return 0
  end
  local taken, kinds, lane = string.match(record, '^(%d+) (%d) %d+ (.*)$')
  if fence and taken ~= fence then
    return 0
  end
  call('HDEL', c.own .. ':k', id)
  local g, a = split(lane)
  if kinds ~= '2' then
    local key = prefix() .. '::a:' .. a
    local left = call('HINCRBY', key, g .. ':n', -1)
    if left <= 0 then
      call('HDEL', key, g .. ':n')
      left = 0
    end
    local gate = gates[lane]
    if gate then
      gate.n = left
    end
    reopen(c, g, a)
  end
  if kinds ~= '1' then
    local key = prefix() .. '::g:' .. g
    local left = call('HINCRBY', key, 'tn', -1)
    if left < 0 then
      call('HSET', key, 'tn', 0)
      left = 0
    end
    if totals[g] then
      totals[g].n = left
    end
    reopen_total(g)
  end
  return 1
end
