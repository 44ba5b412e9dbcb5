--[[
  Gates: an account's settings and the limits of account x group, over all queues.

  P::gates:<g> (hash): account -> seven doubles, those first that change with a job
    n claims in flight
    t theoretical arrival time (GCRA)   b interval that t was reckoned by (0 = none so far)
    i interval in ms per unit of cost   d depth in ms (burst x interval)   m max in flight   (0 = no such limit)
    u closed until
  P::settings (hash): account -> four doubles
    w weight   p 1 = paused   o, c the current window, c -1 = no windows
  P::g:<group> (hash): i, d, m of accounts without own limits, since `at`; ti, td, tm, tt, tn of the total.
  P::win:<account> (sorted set): "open:close" by close, the windows computed ahead.

  One hash a group and one field an account, so that a call reads all gates it needs with one command and writes those
  that have changed with another, at its end: a field each was a third of the cost of an admission. Within a call they
  stay packed, and a table of one is made on the long way only. The records are longer than they need be, since Redis
  walks through a hash whose values have 64 bytes or less.

  The bucket is kept as one time `t`: spending moves it forward by cost x interval, and it may
  not pass now + depth. A clock that steps back leaves t beyond that: then the bucket is empty
  from now on, so spent tokens stay spent and nobody waits for the old time to come round again.
]]
local PREFIX, GATES, SETTINGS = reading.PREFIX, reading.GATES, reading.SETTINGS
local ROOM = string.rep(' ', 10)
local NO_GATE = struct.pack('<dddddddc10', 0, 0, 0, 0, 0, 0, 0, ROOM)
local MAX_LINE = 1000
-- The command that writes what has changed of a group's gates, and its length; of two records of a gate the last one stays.
local line, last, line_of = nil, 2, nil
-- By group.
local default_limits = {}
local records, settings = reading.records, reading.settings
local record_of, has_settings = reading.record_of, reading.has_settings
-- By account of the queue's only group: claims that have ended in this call and that are still counted in the record. With
-- several groups, or none known yet, no lane matches and each claim is taken off its record at once.
local left, left_of = {}, own.g

local function write_line()
  if last > 2 then
    call(unpack(line, 1, last))
    last = 2
  end
end

local function start_line(g)
  write_line()
  line, line_of = { 'HSET', GATES .. g }, g
end

-- The gate's record from now on; it is written at the end of the call.
local function keep(g, a, record)
  records[g][a] = record
  if g ~= line_of then
    start_line(g)
  end
  line[last + 1], line[last + 2] = a, record
  last = last + 2
  if last > MAX_LINE then
    write_line()
  end
end

-- Jobs of the gate have ended or have been found to run: `by` more claims of it.
local function count_claim(g, a, by)
  if g == left_of and left[a] then
    by = by - left[a]
    left[a] = nil
  end
  local n, t, b, i, d, m, u = struct.unpack('<ddddddd', record_of(g, a) or NO_GATE)
  n = n + by
  keep(g, a, struct.pack('<dddddddc10', n > 0 and n or 0, t, b, i, d, m, u, ROOM))
end

local function save_gates()
  local known, unread = records[left_of] or {}, {}
  for a in pairs(left) do
    if known[a] == nil then
      unread[#unread + 1] = a
    end
  end
  if unread[1] then
    reading.read(left_of, unread)
  end
  for a in pairs(left) do
    count_claim(left_of, a, 0)
  end
  write_line()
end

-- The limits of accounts that have none of their own.
local function limits_of_group(g)
  local limits = default_limits[g]
  if not limits then
    local f = call('HMGET', PREFIX .. '::g:' .. g, 'i', 'd', 'm', 'at')
    limits = {
      i = tonumber(f[1]) or 0, d = tonumber(f[2]) or 0, m = tonumber(f[3]) or 0, at = tonumber(f[4]) or 0,
    }
    default_limits[g] = limits
  end
  return limits
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

-- The time of a bucket whose interval was b until `at` and is i since: as many tokens as were spent then stay spent.
local function carried_over(t, b, i, d, at)
  if b == i or b == 0 or i == 0 or t <= at then
    return t
  end
  return at + math.min((t - at) / b * i, d)
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
    keep_claim(c, id, claim_record(c.fence, kinds, k.lane))
  end
end

local function is_recorded(g, a)
  return record_of(g, a) and true
end

local function forget(g, a)
  call('HDEL', GATES .. g, a)
end
