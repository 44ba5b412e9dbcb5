--[[
  Admission of a job that costs 1 from a lane whose gate is open, in one go: the job's id, the tag its account has from
  now on, and whether the gate is closed for the next one. nil where it takes the long way to know.
]]
local function pass(c, g, account, tag, lane, active)
  local record, theirs = record_of(g, account)
  record = record or NO_GATE
  local t, w = now(), 1
  if theirs then
    local p, open, close
    w, p, open, close = struct.unpack('<dddd', theirs)
    if p == 1 or close >= 0 and (t < open or t >= close) then
      return nil
    end
  end
  local n, spent, b, i, d, m, u = struct.unpack('<ddddddd', record)
  if i == 0 and m == 0 and c.lim % 4 >= 2 then
    local limits = limits_of_group(g)
    i, d, m = limits.i, limits.d, limits.m
    spent = carried_over(spent, b, i, d, limits.at)
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
    return nil
  end
  if tag > c.v then
    c.v = tag
  end
  local finish = c.v + JOB / w
  if m > 0 then
    n = n + 1
    take_claim(c, id, finish, '1', g, account)
    is_last = is_last or n >= m
  elseif i == 0 then
    return id, finish, false
  end
  keep(g, account, struct.pack('<ddd', n, spent, b) .. string.sub(record, 25))
  return id, finish, is_last
end
