--[[
  What only some gates have: windows of an account, and the total of a group.
]]
local totals = {}

-- A time as text. Lua would write 17 digits, for as long as a command takes; these four decimals are all it has.
local function written(ms)
  local part = ms % 1
  if part == 0 then
    return string.format('%d', ms)
  end
  return string.format('%d.%04d', ms - part, math.min(part * 10000 + 0.5, 9999))
end

local function total_of(g)
  local k = totals[g]
  if not k then
    local f = call('HMGET', PREFIX .. '::g:' .. g, 'ti', 'td', 'tm', 'tt', 'tn')
    k = {
      i = tonumber(f[1]), d = tonumber(f[2]), m = tonumber(f[3]), t = tonumber(f[4]) or 0, n = tonumber(f[5]) or 0,
    }
    totals[g] = k
  end
  return k
end


local function window_after(k, t)
  local following = call('ZRANGEBYSCORE', PREFIX .. '::win:' .. k.a, '(' .. t, '+inf', 'LIMIT', 0, 1)[1]
  if following then
    local open, close = string.match(following, '^(%d+):(%d+)$')
    return tonumber(open), tonumber(close)
  end
  return huge, huge
end

-- When a window is open at or after `at`; beyond the last one computed nothing is.
local function window_opens_at(k, at)
  local t = now()
  local s = k.s
  if t >= s.wc then
    s.wo, s.wc = window_after(k, t)
    if s.wo < huge then
      gated.write_settings(k.a, s)
    end
  end
  if at < s.wc then
    return s.wo
  end
  return (window_after(k, at))
end

-- When the total of a group opens for a job of this cost, and why it is closed; nil when it is open.
local function total_closed(g, cost)
  local k = total_of(g)
  local t = now()
  if k.m and k.n >= k.m then
    return huge, 'group_total'
  end
  if k.i then
    local opens = gated.bucket_opens_at(k, cost, t)
    if k.clamped then
      k.clamped = nil
      call('HSET', PREFIX .. '::g:' .. g, 'tt', written(k.t))
    end
    if opens > t then
      return opens, 'group_total'
    end
  end
end


-- Spends the group's tokens; 2 when the total counts claims.
local function charge_total(g, cost)
  local total = total_of(g)
  local key = PREFIX .. '::g:' .. g
  if total.i then
    local _, spent = gated.bucket_opens_at(total, cost, now())
    total.t = spent
    call('HSET', key, 'tt', written(spent))
  end
  if total.m then
    total.n = total.n + 1
    call('HSET', key, 'tn', total.n)
    return 2
  end
  return 0
end
