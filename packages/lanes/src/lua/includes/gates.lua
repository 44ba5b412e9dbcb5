--[[
  Gates the long way: as tables, for whatever is asked of one. How they are kept is in `records.lua`.

  P::win:<account> (sorted set): "open:close" by close, the windows computed ahead.
]]
local SETTINGS, ROOM, NO_GATE = reading.SETTINGS, passing.ROOM, passing.NO_GATE
local keep, with_claims, left, left_of = passing.keep, passing.with_claims, passing.left, passing.left_of
local limits_of_group, carried_over = passing.limits_of_group, passing.carried_over
local new_fence, claim_record = passing.new_fence, passing.claim_record
local settings, record_of, has_settings = reading.settings, reading.record_of, reading.has_settings

-- Jobs of the gate have ended or have been found to run: `by` more claims of it.
local function count_claim(g, a, by)
  if g == left_of and left[a] then
    by = by - left[a]
    left[a] = nil
  end
  keep(g, a, with_claims(record_of(g, a) or NO_GATE, by))
end

local function unpack_settings(record)
  if not record then
    return { w = 1 }
  end
  local w, p, o, c = struct.unpack('<dddd', record)
  return { w = w, p = p == 1, wo = o, wc = c >= 0 and c or nil }
end

local function settings_of(a)
  return unpack_settings(has_settings(a))
end

local function write_settings(a, s)
  if s.w == 1 and not s.p and not s.wc then
    settings[a] = false
    call('HDEL', SETTINGS, a)
  else
    local padding = string.rep(' ', 34)
    settings[a] = struct.pack('<ddddc34', s.w, s.p and 1 or 0, s.wo or 0, s.wc or -1, padding)
    call('HSET', SETTINGS, a, settings[a])
  end
end

-- A gate as a table. `own_i` and so on are what was set for the account; what counts may be the group's.
local function gate_of(c, g, a)
  if g == left_of and left[a] then
    count_claim(g, a, 0)
  end
  local n, t, b, i, d, m, u = struct.unpack('<ddddddd', record_of(g, a) or NO_GATE)
  local k = { lane = g .. ':' .. a, a = a, g = g, own_i = i, own_d = d, own_m = m, t = t, n = n, u = u }
  if i == 0 and m == 0 and c.lim % 4 >= 2 then
    local limits = limits_of_group(g)
    i, d, m = limits.i, limits.d, limits.m
    k.t = carried_over(t, b, i, d, limits.at)
  end
  k.i, k.d, k.m = i > 0 and i or nil, d, m > 0 and m or nil
  k.b = i > 0 and i or b
  k.s = settings_of(a)
  return k
end

local function change(k)
  keep(k.g, k.a, struct.pack('<dddddddc10', k.n, k.t, k.b, k.own_i, k.own_d, k.own_m, k.u, ROOM))
end

-- When a bucket, of a gate or a total, has tokens for this cost, and what its time would be then.
local function bucket_opens_at(k, cost, t)
  local spent = k.t
  if spent < t then
    spent = t
  elseif spent > t + k.d then
    spent = t + k.d
    k.t = spent
    k.clamped = true
  end
  local price = cost * k.i
  if price > k.d then
    price = k.d
  end
  return spent + price - k.d, spent + price
end

-- When the gate opens for a job of this cost and why it is closed; nil when it is open.
-- Of several reasons the one that opens last; math.huge where no time can be known.
local function closed(k, cost)
  local t, s = now(), k.s
  local at, why = t, nil
  if k.i then
    local opens = bucket_opens_at(k, cost, t)
    if k.clamped then
      k.clamped = nil
      change(k)
    end
    if opens > at then
      at, why = opens, 'rate_limit'
    end
  end
  if k.u > at then
    at, why = k.u, 'throttled'
  end
  if s.wc and (t < s.wo or at >= s.wc) then
    local open = rare().window_opens_at(k, at)
    if open > at then
      at, why = open, 'window'
    end
  end
  if k.m and k.n >= k.m then
    at, why = huge, 'in_flight'
  end
  if s.p then
    at, why = huge, 'paused'
  end
  if why then
    return at, why
  end
end

-- Spends the tokens of one admission and takes the claim where something counts claims.
local function charge(c, k, cost, id, finish)
  local kinds = 0
  if k.i then
    local _, spent = bucket_opens_at(k, cost, now())
    k.t = spent
  end
  if k.m then
    k.n = k.n + 1
    kinds = 1
  end
  if k.i or k.m then
    change(k)
  end
  if c.lim >= 4 then
    kinds = kinds + rare().charge_total(k.g, cost)
  end
  if kinds > 0 then
    c.fence = new_fence(finish)
    passing.keep_claim(c, id, claim_record(c.fence, kinds, k.lane))
  end
end

local function is_recorded(g, a)
  return record_of(g, a) and true
end

local function forget(g, a)
  call('HDEL', reading.GATES .. g, a)
end
