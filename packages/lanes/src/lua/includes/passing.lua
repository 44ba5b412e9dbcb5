--[[
  Admission of a job that costs 1 from a lane whose gate is open, in one go: the job's id, the tag its account has from
  now on, and whether the gate is closed for the next one; false where the lane's list is empty, nil where it takes the
  long way to know. What it does to records and claims is written out here, since this runs for every job that has
  limits.
]]
local function pass(c, g, account, tag, lane, active)
  local theirs, t, w = settings[account], own.now or now(), 1
  if theirs then
    local p, open, close
    w, p, open, close = struct.unpack('<dddd', theirs)
    if p == 1 or close >= 0 and (t < open or t >= close) then
      return nil
    end
  end
  local known = records[g]
  local n, spent, b, own_i, own_d, own_m, u = struct.unpack('<ddddddd', known[account] or NO_GATE)
  local i, d, m = own_i, own_d, own_m
  if i == 0 and m == 0 and c.lim % 4 >= 2 then
    local limits = limits_of_group(g)
    i, d, m = limits.i, limits.d, limits.m
    spent = carried_over(spent, b, i, d, limits.at)
  end
  if last_over > 0 and m > 0 and n + 1 >= m then
    -- Those that are over may leave it room.
    end_claims()
    return pass(c, g, account, tag, lane, active)
  end
  local gone = left[account]
  if gone then
    n = n > gone and n - gone or 0
  end
  if u > t or m > 0 and n >= m then
    return nil
  end
  local is_last = false
  if i > 0 then
    local price = i < d and i or d
    if spent > t + d then
      return nil
    elseif spent < t then
      spent = t
    end
    spent, b = spent + price, i
    if spent - d > t then
      return nil
    end
    is_last = spent + price - d > t
  end
  local id = call('RPOPLPUSH', lane, active)
  if not id then
    return false
  end
  if tag > c.v then
    c.v = tag
  end
  local finish = c.v + JOB / w
  if m > 0 then
    n = n + 1
    local fence, at = new_fence(finish), last_taken
    c.fence = fence
    taken[at + 1], taken[at + 2], last_taken = id, SPACES .. fence .. '1' .. g .. ':' .. account, at + 2
    is_last = is_last or n >= m
  elseif i == 0 then
    return id, finish, false
  end
  if gone then
    left[account] = nil
  end
  local record = struct.pack('<dddddddc10', n, spent, b, own_i, own_d, own_m, u, ROOM)
  known[account] = record
  if g ~= line_of then
    start_line(g)
  end
  local at = last
  line[at + 1], line[at + 2], last = account, record, at + 2
  return id, finish, is_last
end
