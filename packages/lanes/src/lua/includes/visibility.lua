--[[
  BullMQ's reads and removals on `wait`, answered by the lanes.

  Index 0 is the newest job, -1 the one to run next, as in BullMQ's list. The lanes follow each
  other, from the one whose turn is last (held, then ready, by group) to the one whose turn is
  next, so the order is global only when there is one lane. A page costs one LLEN per lane before
  it and reads only its own ids.
]]
local LANES_A_STEP = 500

-- In turn, or the lane whose turn is last first.
local function each_lane(c, visit, backwards)
  local groups = groups_of(c)
  local command = backwards and 'ZREVRANGE' or 'ZRANGE'
  for at = 1, #groups do
    local g = groups[backwards and #groups + 1 - at or at]
    for _, kind in ipairs(backwards and { ':h:', ':r:' } or { ':r:', ':h:' }) do
      local from = 0
      local members
      repeat
        members = call(command, c.own .. kind .. g, from, from + LANES_A_STEP - 1)
        for _, a in ipairs(members) do
          if visit(g .. ':' .. a) then
            return
          end
        end
        from = from + LANES_A_STEP
      until #members < LANES_A_STEP
    end
  end
end

local last_range, last_range_stop

local function range(c, start, stop)
  load(c)
  start, stop = tonumber(start), tonumber(stop)
  if start < 0 then
    start = math.max(c.n + start, 0)
  end
  last_range_stop = stop
  if stop < 0 then
    stop = c.n + stop
  end
  local ids = {}
  local at = 0
  if stop >= start and start < c.n then
    each_lane(c, function(lane)
      local key = c.own .. ':l:' .. lane
      local count = call('LLEN', key)
      if count > 0 and at + count > start then
        local part = call('LRANGE', key, math.max(start - at, 0), stop - at)
        for i = 1, #part do
          lane_of_key[c.base .. part[i]] = lane
          ids[#ids + 1] = part[i]
        end
      end
      at = at + count
      return at > stop
    end, true)
  end
  last_range = ids
  return ids
end

-- Takes the ids of the last range whose hashes are gone out of their lanes, lane by lane.
local function drop_deleted(c)
  local lanes = {}
  for _, id in ipairs(last_range or {}) do
    if deleted[c.base .. id] then
      lanes[lane_of(c, id)] = true
    end
  end
  for lane in pairs(lanes) do
    local key = c.own .. ':l:' .. lane
    local all = call('LRANGE', key, 0, -1)
    call('DEL', key)
    local removed = 0
    for _, id in ipairs(all) do
      if deleted[c.base .. id] then
        removed = removed + 1
      else
        call('RPUSH', key, id)
      end
    end
    c.n = c.n - removed
    uncount(c, lane, removed)
  end
end

local function read_wait(c, command, ...)
  load(c)
  local a, b = ...
  if command == 'LLEN' then
    return c.n
  elseif command == 'LRANGE' then
    return range(c, a, b)
  elseif command == 'LPOS' then
    return call('LPOS', c.own .. ':l:' .. lane_of(c, a), a)
  elseif command == 'LREM' then
    if b == '' then
      return 0
    end
    return take(c, b, a)
  elseif command == 'LSET' then
    -- cleanList marks what it removes by its index in the range it read, counted from the end.
    local id = last_range[tonumber(a) - tonumber(last_range_stop) + #last_range]
    take(c, id, 1)
    return { ok = 'OK' }
  elseif command == 'LTRIM' then
    drop_deleted(c)
    return { ok = 'OK' }
  elseif command == 'TYPE' then
    return { ok = 'list' }
  elseif command == 'LINDEX' or command == 'LPOP' or command == 'RPOP' then
    return false
  end
  return call(command, c.base .. 'wait', ...)
end
