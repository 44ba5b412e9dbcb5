--[[
  Gates: an account's settings and the limits of account x group, over all queues.

  P::a:<account> (hash): w weight, p paused, wo/wc the current window, and per group
    <g>:i interval in ms per unit of cost    <g>:d depth in ms (burst x interval)
    <g>:m max in flight                      <g>:t theoretical arrival time (GCRA)
    <g>:n claims in flight                   <g>:u closed until
  P::g:<group> (hash): i, d, m of accounts without own limits; ti, td, tm, tt, tn of the total.
  P::win:<account> (sorted set): "open:close" by close, the windows computed ahead.

  The bucket is kept as one time `t`: spending moves it forward by cost x interval, and it may
  not pass now + depth. A clock that steps back leaves t beyond that: then the bucket is empty
  from now on, so spent tokens stay spent and nobody waits for the old time to come round again.
]]
local gates = {}
local fields_of = {}

local function gate_fields(g)
  local fields = fields_of[g]
  if not fields then
    fields = { g .. ':i', g .. ':d', g .. ':m', g .. ':t', g .. ':n', g .. ':u' }
    fields_of[g] = fields
  end
  return fields
end

-- A time as text. Lua would write 17 digits, for as long as a command takes; these four decimals are all it has.
local function written(ms)
  local part = ms % 1
  if part == 0 then
    return string.format('%d', ms)
  end
  return string.format('%d.%04d', ms - part, math.min(part * 10000 + 0.5, 9999))
end

local function split(lane)
  local at = string.find(lane, ':', 1, true)
  return string.sub(lane, 1, at - 1), string.sub(lane, at + 1)
end

local function bucket_opens_at(k, cost, t)
  local spent = k.t
  if spent < t then
    spent = t
  elseif spent > t + k.d then
    spent = t + k.d
    k.t = spent
    call('HSET', k.key, k.field, written(spent))
  end
  local price = cost * k.i
  if price > k.d then
    price = k.d
  end
  return spent + price - k.d, spent + price
end

local function gate_of(c, g, a)
  local lane = g .. ':' .. a
  local k = gates[lane]
  if k then
    return k
  end
  local key, names = PREFIX .. '::a:' .. a, gate_fields(g)
  local f = call('HMGET', key, 'w', 'p', 'wo', 'wc', unpack(names))
  k = {
    lane = lane, a = a, g = g, key = key, field = names[4],
    w = tonumber(f[1]) or 1, p = f[2], wo = tonumber(f[3]), wc = tonumber(f[4]),
    i = tonumber(f[5]), d = tonumber(f[6]), m = tonumber(f[7]),
    t = tonumber(f[8]) or 0, n = tonumber(f[9]) or 0, u = tonumber(f[10]),
  }
  if not k.i and not k.m and c.lim % 4 >= 2 then
    local default = rare().total_of(g)
    k.i, k.d, k.m = default.default_i, default.default_d, default.default_m
  end
  gates[lane] = k
  return k
end

-- When the gate opens for a job of this cost and why it is closed; nil when it is open.
-- Of several reasons the one that opens last; math.huge where no time can be known.
local function closed(k, cost)
  local t = now()
  local at, why = t, nil
  if k.i then
    local opens = bucket_opens_at(k, cost, t)
    if opens > at then
      at, why = opens, 'rate_limit'
    end
  end
  if k.u and k.u > at then
    at, why = k.u, 'throttled'
  end
  if k.wc and (t < k.wo or at >= k.wc) then
    local open = rare().window_opens_at(k, at)
    if open > at then
      at, why = open, 'window'
    end
  end
  if k.m and k.n >= k.m then
    at, why = huge, 'in_flight'
  end
  if k.p then
    at, why = huge, 'paused'
  end
  if why then
    return at, why
  end
end

-- Spends the tokens of one admission and takes the claim where something counts claims.
local function charge(c, k, cost, id, finish)
  local names, kinds = gate_fields(k.g), 0
  if k.i then
    local _, spent = bucket_opens_at(k, cost, now())
    k.t = spent
  end
  if k.m then
    k.n = k.n + 1
    kinds = 1
  end
  if k.i and k.m then
    call('HSET', k.key, k.field, written(k.t), names[5], string.format('%d', k.n))
  elseif k.i then
    call('HSET', k.key, k.field, written(k.t))
  elseif k.m then
    call('HSET', k.key, names[5], string.format('%d', k.n))
  end
  if c.lim >= 4 then
    kinds = kinds + rare().charge_total(k.g, cost)
  end
  if kinds > 0 then
    -- The account's tag rises with every job served: with the time it tells this claim from all
    -- others of the job.
    c.fence = string.format('%d-%d', now(), finish * 0x10000)
    keep_claim(c, id, c.fence .. ' ' .. kinds .. ' ' .. k.lane)
  end
end
