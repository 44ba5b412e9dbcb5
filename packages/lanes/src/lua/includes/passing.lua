--[[
  Admission of a job that costs 1 from a lane whose gate is open, in one go: the job's id, the tag its account has from
  now on, and whether the gate is closed for the next one. nil where it takes the long way to know.
]]
local function pass(c, g, a, tag)
  local record, theirs = record_of(g, a)
  local t = now()
  local w = 1
  if theirs then
    local p, open, close
    w, p, open, close = struct.unpack('<dddd', theirs)
    if p == 1 or close >= 0 and (t < open or t >= close) then
      return nil
    end
  end
  local own_i, own_d, own_m, spent, n, u, b = struct.unpack('<ddddddd', record or NO_GATE)
  local i, d, m = own_i, own_d, own_m
  if i == 0 and m == 0 and c.lim % 4 >= 2 then
    local limits = limits_of_group(g)
    i, d, m = limits.i, limits.d, limits.m
    spent = carried_over(spent, b, i, d, limits.at)
  end
  local price = i < d and i or d
  if i > 0 then
    b = i
    if spent > t + d then
      return nil
    end
    spent = (spent < t and t or spent) + price
  end
  if u > t or i > 0 and spent - d > t or m > 0 and n >= m then
    return nil
  end
  local lane = g .. ':' .. a
  local id = call('RPOPLPUSH', c.own .. ':l:' .. lane, c.base .. 'active')
  if not id then
    return nil
  end
  if tag > c.v then
    c.v = tag
  end
  local finish = c.v + 1 / w
  if m > 0 then
    n = n + 1
    take_claim(c, id, finish, '1', lane)
  end
  if i > 0 or m > 0 then
    keep(g, a, own_i, own_d, own_m, spent, n, u, b)
  end
  return id, finish, m > 0 and n >= m or i > 0 and spent + price - d > t
end
