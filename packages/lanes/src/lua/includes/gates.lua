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
local GATES, SETTINGS = PREFIX .. '::gates:', PREFIX .. '::settings'
local ROOM = string.rep(' ', 10)
local NO_GATE = struct.pack('<dddddddc10', 0, 0, 0, 0, 0, 0, 0, ROOM)
local MAX_CHANGES = 500
-- By group and account: what was read or has changed since; false where nothing is recorded.
local records = {}
-- By group: the command that writes what has changed; of two records of a gate the last one stays.
local lines, changes = {}, 0
-- By account, the same of its settings.
local settings = {}
-- By group.
local default_limits = {}

local function split(lane)
  local at = string.find(lane, ':', 1, true)
  return string.sub(lane, 1, at - 1), string.sub(lane, at + 1)
end

-- Reads gates of a group together.
local function read(g, accounts)
  local known = records[g]
  if not known then
    known = {}
    records[g] = known
  end
  local gates, theirs = call('HMGET', GATES .. g, unpack(accounts)), call('HMGET', SETTINGS, unpack(accounts))
  for at = 1, #accounts do
    known[accounts[at]], settings[accounts[at]] = gates[at], theirs[at]
  end
end

-- Reads gates that will be asked for. Every second value of `of` is an account, as Redis lists those of a sorted set.
local function foresee(g, of)
  local known, accounts, count = records[g] or {}, {}, 0
  for at = 1, #of, 2 do
    if known[of[at]] == nil then
      count = count + 1
      accounts[count] = of[at]
    end
  end
  if count > 0 then
    read(g, accounts)
  end
end

-- The records of a gate and of its account's settings.
local function record_of(g, a)
  local known = records[g]
  if not known or known[a] == nil then
    read(g, { a })
    known = records[g]
  end
  return known[a], settings[a]
end

local function save_gates()
  for _, line in pairs(lines) do
    call(unpack(line))
  end
  lines, changes = {}, 0
end

-- The gate's record from now on; it is written at the end of the call.
local function keep(g, a, record)
  records[g][a] = record
  local line = lines[g]
  if not line then
    line = { 'HSET', GATES .. g }
    lines[g] = line
  end
  local last = #line
  line[last + 1], line[last + 2] = a, record
  changes = changes + 1
  if changes == MAX_CHANGES then
    save_gates()
  end
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

local function has_settings(a)
  if settings[a] == nil then
    settings[a] = call('HGET', SETTINGS, a)
  end
  return settings[a]
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
  local record, theirs = record_of(g, a)
  local n, t, b, i, d, m, u = struct.unpack('<ddddddd', record or NO_GATE)
  local k = { lane = g .. ':' .. a, a = a, g = g, own_i = i, own_d = d, own_m = m, t = t, n = n, u = u }
  if i == 0 and m == 0 and c.lim % 4 >= 2 then
    local limits = limits_of_group(g)
    i, d, m = limits.i, limits.d, limits.m
    k.t = carried_over(t, b, i, d, limits.at)
  end
  k.i, k.d, k.m = i > 0 and i or nil, d, m > 0 and m or nil
  k.b = i > 0 and i or b
  k.s = unpack_settings(theirs)
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

-- The account's tag rises with every job served: with the time it tells this claim from all others of the job.
local function take_claim(c, id, finish, kinds, g, a)
  local fence = string.format('%d-%d', now(), finish)
  c.fence = fence
  keep_claim(c, id, claim_record(fence, kinds, g, a))
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
    take_claim(c, id, finish, kinds, k.g, k.a)
  end
end

local function is_recorded(g, a)
  return record_of(g, a) and true
end

local function forget(g, a)
  call('HDEL', GATES .. g, a)
end

-- Jobs of the gate have ended or have been found to run: `by` more claims of it.
local function count_claim(g, a, by)
  local record = record_of(g, a) or NO_GATE
  local n = struct.unpack('<d', record) + by
  keep(g, a, struct.pack('<d', n > 0 and n or 0) .. string.sub(record, 9))
end
