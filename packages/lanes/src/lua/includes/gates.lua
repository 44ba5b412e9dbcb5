--[[
  Gates: an account's settings and the limits of account x group, over all queues.

  P::gates:<g> (hash): account -> six doubles
    i interval in ms per unit of cost   d depth in ms (burst x interval)   m max in flight   (0 = no such limit)
    t theoretical arrival time (GCRA)   n claims in flight                 u closed until
  P::settings (hash): account -> four doubles
    w weight   p 1 = paused   o, c the current window, c -1 = no windows
  P::g:<group> (hash): i, d, m of accounts without own limits; ti, td, tm, tt, tn of the total.
  P::win:<account> (sorted set): "open:close" by close, the windows computed ahead.

  One hash a group and one field an account, so that a call reads all gates it needs with one command and writes those
  that have changed with another, at its end: a field each was a third of the cost of an admission. The records are
  longer than they need be, since Redis walks through a hash whose values have 64 bytes or less.

  The bucket is kept as one time `t`: spending moves it forward by cost x interval, and it may
  not pass now + depth. A clock that steps back leaves t beyond that: then the bucket is empty
  from now on, so spent tokens stay spent and nobody waits for the old time to come round again.
]]
local GATES, SETTINGS = PREFIX .. '::gates:', PREFIX .. '::settings'
local PADDING = string.rep(' ', 40)
local MAX_CHANGED = 500
local NO_SETTINGS = { w = 1 }
-- By lane; false where nothing is recorded of the gate or its account.
local gates = {}
local settings = {}
local changed = {}

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

local function nonzero(number)
  return number ~= 0 and number or nil
end

local function unpack_settings(record)
  local w, p, o, c = struct.unpack('<dddd', record)
  return { w = w, p = p == 1, wo = o, wc = c >= 0 and c or nil }
end

local function settings_of(a)
  if not settings[a] then
    local record = call('HGET', SETTINGS, a)
    settings[a] = record and unpack_settings(record) or nil
  end
  return settings[a] or NO_SETTINGS
end

local function has_settings(a)
  return settings_of(a) ~= NO_SETTINGS
end

-- What was read with the account's gates before is out of date then.
local function write_settings(a, s)
  settings[a] = s
  if s.w == 1 and not s.p and not s.wc then
    call('HDEL', SETTINGS, a)
  else
    call('HSET', SETTINGS, a, struct.pack('<ddddc34', s.w, s.p and 1 or 0, s.wo or 0, s.wc or -1, PADDING))
  end
end

-- `own_i` and so on are what was set for this account; what counts may be the group's default.
local function gate(g, a, record, s)
  local k = { lane = g .. ':' .. a, a = a, g = g, s = s, own_i = 0, own_d = 0, own_m = 0, t = 0, n = 0, u = 0 }
  if record then
    k.own_i, k.own_d, k.own_m, k.t, k.n, k.u = struct.unpack('<dddddd', record)
  end
  k.i, k.d, k.m = nonzero(k.own_i), nonzero(k.own_d), nonzero(k.own_m)
  return k
end

-- Reads gates of a group together.
local function read(g, accounts)
  local records, theirs = call('HMGET', GATES .. g, unpack(accounts)), call('HMGET', SETTINGS, unpack(accounts))
  for at = 1, #accounts do
    local a, record = accounts[at], records[at]
    local s = settings[a] or theirs[at] and unpack_settings(theirs[at])
    settings[a] = s or nil
    gates[g .. ':' .. a] = (record or s) and gate(g, a, record, s or NO_SETTINGS) or false
  end
end

local function is_recorded(g, a)
  return call('HEXISTS', GATES .. g, a) == 1
end

local function forget(g, a)
  call('HDEL', GATES .. g, a)
end

-- Reads gates that will be asked for. Every second value of `of` is an account, as Redis lists those of a sorted set.
local function foresee(g, of)
  local accounts = {}
  for at = 1, #of, 2 do
    if gates[g .. ':' .. of[at]] == nil then
      accounts[#accounts + 1] = of[at]
    end
  end
  if accounts[1] then
    read(g, accounts)
  end
end

-- The limits of an account that has none of its own.
local function default_limits(c, k)
  if not k.i and not k.m and c.lim % 4 >= 2 then
    local default = rare().total_of(k.g)
    k.i, k.d, k.m = default.default_i, default.default_d, default.default_m
  end
  k.whole = true
  return k
end

-- The gate, or nil where nothing can close or count it.
local function limiting_gate(c, g, a)
  local lane = g .. ':' .. a
  local k = gates[lane]
  if k == nil then
    read(g, { a })
    k = gates[lane]
  end
  if not k then
    if c.lim % 8 < 2 then
      return nil
    end
    k = gate(g, a, nil, NO_SETTINGS)
    gates[lane] = k
  end
  return k.whole and k or default_limits(c, k)
end

local function gate_of(c, g, a)
  local k = limiting_gate(c, g, a)
  if not k then
    k = gate(g, a, nil, NO_SETTINGS)
    k.whole = true
    gates[k.lane] = k
  end
  return k
end

local function save_gates()
  local lines = {}
  for at = 1, #changed do
    local k = changed[at]
    local line = lines[k.g]
    if not line then
      line = { 'HSET', GATES .. k.g }
      lines[k.g] = line
    end
    local last = #line
    line[last + 1] = k.a
    line[last + 2] = struct.pack('<ddddddc18', k.own_i, k.own_d, k.own_m, k.t, k.n, k.u, PADDING)
    k.changed = nil
  end
  changed = {}
  for _, line in pairs(lines) do
    call(unpack(line))
  end
end

-- The gate has changed: it is written at the end of the call, which all look-ups of it go through.
local function change(k)
  if not k.changed then
    k.changed = true
    changed[#changed + 1] = k
    if #changed == MAX_CHANGED then
      save_gates()
    end
  end
end

-- Sets what was set for the account alone; its group's defaults are looked up again.
local function set_limits(k, interval, depth, max)
  k.own_i, k.own_d, k.own_m = interval or 0, depth or 0, max or 0
  k.i, k.d, k.m = interval, depth, max
  k.whole = nil
  change(k)
end

-- When a bucket, of a gate or a total, has tokens for this cost, and what its time would be then.
local function bucket_opens_at(k, cost, t)
  local spent = k.t
  if spent < t then
    spent = t
  elseif spent > t + k.d then
    spent = t + k.d
    k.t = spent
    if k.key then
      call('HSET', k.key, k.field, written(spent))
    else
      change(k)
    end
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
    change(k)
  end
  if k.m then
    k.n = k.n + 1
    kinds = 1
    change(k)
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

-- Jobs of the gate have ended or have been found to run: `by` more claims of it.
local function count_claim(k, by)
  k.n = math.max(k.n + by, 0)
  change(k)
end
