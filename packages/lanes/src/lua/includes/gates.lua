--[[
  Gates: an account's settings and the limits of account x group, over all queues.

  P::a:<account> (hash): w weight, p paused, wo/wc the current window, and per group
    <g>:i interval in ms per unit of cost    <g>:d depth in ms (burst x interval)
    <g>:m max in flight                      <g>:t theoretical arrival time (GCRA)
    <g>:n claims in flight                   <g>:u closed until
  P::g:<group> (hash): i, d, m of accounts without own limits; ti, td, tm, tt, tn of the total.
  P::win:<account> (sorted set): "open:close" by close, the windows computed ahead.

  The bucket is kept as one time `t`: spending moves it forward by cost x interval, and it may
  not pass now + depth. A clock that steps back leaves t beyond that: then the bucket counts
  as empty, so spent tokens stay spent and nobody waits for the old time to come round again.
]]
local gates, totals = {}, {}

local function bucket_opens_at(k, cost, t)
  local spent = k.t
  if spent < t then
    spent = t
  elseif spent > t + k.d then
    spent = t + k.d
  end
  local price = cost * k.i
  if price > k.d then
    price = k.d
  end
  return spent + price - k.d, spent + price
end

local function total_of(g)
  local k = totals[g]
  if not k then
    local f = call('HMGET', prefix() .. '::g:' .. g, 'i', 'd', 'm', 'ti', 'td', 'tm', 'tt', 'tn')
    k = {
      default_i = tonumber(f[1]), default_d = tonumber(f[2]), default_m = tonumber(f[3]),
      i = tonumber(f[4]), d = tonumber(f[5]), m = tonumber(f[6]),
      t = tonumber(f[7]) or 0, n = tonumber(f[8]) or 0,
    }
    totals[g] = k
  end
  return k
end

local function gate_of(c, g, a)
  local lane = g .. ':' .. a
  local k = gates[lane]
  if k then
    return k
  end
  local f = call('HMGET', prefix() .. '::a:' .. a, 'w', 'p', 'wo', 'wc',
    g .. ':i', g .. ':d', g .. ':m', g .. ':t', g .. ':n', g .. ':u')
  k = {
    a = a, g = g,
    w = tonumber(f[1]) or 1, p = f[2], wo = tonumber(f[3]), wc = tonumber(f[4]),
    i = tonumber(f[5]), d = tonumber(f[6]), m = tonumber(f[7]),
    t = tonumber(f[8]) or 0, n = tonumber(f[9]) or 0, u = tonumber(f[10]),
  }
  if not k.i and not k.m and c.lim % 4 >= 2 then
    local default = total_of(g)
    k.i, k.d, k.m = default.default_i, default.default_d, default.default_m
  end
  gates[lane] = k
  return k
end

-- The first window that closes after `t`; beyond the last one computed nothing is open.
local function window_after(k, t)
  local following = call('ZRANGEBYSCORE', prefix() .. '::win:' .. k.a, '(' .. t, '+inf', 'LIMIT', 0, 1)[1]
  if following then
    local open, close = string.match(following, '^(%d+):(%d+)$')
    return tonumber(open), tonumber(close)
  end
  return huge, huge
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
  if k.wc then
    local open, close = k.wo, k.wc
    if t >= close then
      open, close = window_after(k, t)
      if open < huge then
        call('HSET', prefix() .. '::a:' .. k.a, 'wo', open, 'wc', close)
      end
      k.wo, k.wc = open, close
    end
    if at >= close then
      open = window_after(k, at)
    end
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

local function total_closed(g)
  local k = total_of(g)
  local t = now()
  if k.m and k.n >= k.m then
    return huge, 'group_total'
  end
  if k.i then
    local opens = bucket_opens_at(k, 1, t)
    if opens > t then
      return opens, 'group_total'
    end
  end
end

-- Spends the tokens of one admission and takes the claim where something counts claims.
local function charge(c, k, cost, id)
  local t = now()
  local fields, kinds = {}, 0
  if k.i then
    local _, spent = bucket_opens_at(k, cost, t)
    k.t = spent
    fields[1], fields[2] = k.g .. ':t', spent
  end
  if k.m then
    k.n = k.n + 1
    kinds = 1
    fields[#fields + 1] = k.g .. ':n'
    fields[#fields + 1] = k.n
  end
  if #fields > 0 then
    call('HSET', prefix() .. '::a:' .. k.a, unpack(fields))
  end
  if c.lim >= 4 then
    local total = total_of(k.g)
    local key = prefix() .. '::g:' .. k.g
    if total.i then
      local _, spent = bucket_opens_at(total, cost, t)
      total.t = spent
      call('HSET', key, 'tt', spent)
    end
    if total.m then
      total.n = total.n + 1
      kinds = kinds + 2
      call('HSET', key, 'tn', total.n)
    end
  end
  if kinds > 0 then
    c.f = c.f + 1
    c.fence = c.f
    call('HSET', c.own .. ':k', id, c.f .. ' ' .. kinds .. ' ' .. floor(t) .. ' ' .. k.g .. ':' .. k.a)
  end
end
