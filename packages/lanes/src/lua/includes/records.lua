--[[
  Gates as a call keeps them: packed, and written together.

  P::gates:<g> (hash): account -> seven doubles, those first that change with a job
    n claims in flight
    t theoretical arrival time (GCRA)   b interval that t was reckoned by (0 = none so far)
    i interval in ms per unit of cost   d depth in ms (burst x interval)   m max in flight   (0 = no such limit)
    u closed until
  P::settings (hash): account -> four doubles
    w weight   p 1 = paused   o, c the current window, c -1 = no windows
  P::g:<group> (hash): i, d, m of accounts without own limits, since `at`; ti, td, tm, tt, tn of the total.

  One hash a group and one field an account, so that a call reads all gates it needs with one command and writes those
  that have changed with another, at its end: a field each was a third of the cost of an admission. The records are
  longer than they need be, since Redis walks through a hash whose values have 64 bytes or less.

  The bucket is kept as one time `t`: spending moves it forward by cost x interval, and it may
  not pass now + depth. A clock that steps back leaves t beyond that: then the bucket is empty
  from now on, so spent tokens stay spent and nobody waits for the old time to come round again.
]]
local PREFIX, GATES = reading.PREFIX, reading.GATES
local ROOM = string.rep(' ', 10)
local NO_GATE = struct.pack('<dddddddc10', 0, 0, 0, 0, 0, 0, 0, ROOM)
local MAX_LINE = 1000
-- The command that writes what has changed of a group's gates, and its length; of two records of a gate the last one stays.
local line, last, line_of = nil, 2, nil
-- By group.
local default_limits = {}
local records, settings = reading.records, reading.settings
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

-- The record with so many more claims in flight.
local function with_claims(record, more)
  local n = struct.unpack('<d', record) + more
  return struct.pack('<d', n > 0 and n or 0) .. string.sub(record, 9)
end

-- Takes what has been left off the records.
local function count_left()
  local known, unread = records[left_of] or {}, {}
  for a in pairs(left) do
    if known[a] == nil then
      unread[#unread + 1] = a
    end
  end
  if unread[1] then
    reading.read(left_of, unread)
    known = records[left_of]
  end
  if left_of ~= line_of then
    start_line(left_of)
  end
  local at = last
  for a, gone in pairs(left) do
    local record = with_claims(known[a] or NO_GATE, -gone)
    known[a], left[a] = record, nil
    line[at + 1], line[at + 2], at = a, record, at + 2
  end
  last = at
end

local function save_gates()
  if next(left) then
    count_left()
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

-- The time of a bucket whose interval was b until `at` and is i since: as many tokens as were spent then stay spent.
local function carried_over(t, b, i, d, at)
  if b == i or b == 0 or i == 0 or t <= at then
    return t
  end
  return at + math.min((t - at) / b * i, d)
end
