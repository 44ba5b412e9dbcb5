--[[
  The lanes of one queue whose oldest waiting job waits longest. The index holds a lower bound,
  so that admission need not touch it; reading mends the entries it meets.

  KEYS[1] the queue's own key. ARGV[1] how many  [2] how many entries may be mended  [3] those that have waited since
  this time (ms) or later, '' = all  [4] how many of these to leave out  [5] '' or accounts, JSON: then their lanes, in
  no order  [6] 'r' or 'h' = ready or held lanes matter only: few of these are read at once, without those between them;
  then the key prefix and a time for tests.
  Reply: entries of the index that were looked at (0 = nothing is behind them), the time of the last one ('' = none), how many have that time; then
  lanes in order, empty ones left out: lane, since (ms), waiting, '1' when held.
]]
local all = rare()
local want, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local from, skip = ARGV[3] == '' and '-inf' or ARGV[3], ARGV[4]
local accounts = ARGV[5] ~= '' and cjson.decode(ARGV[5])
load(own)
all.promote(own)
if own.lim then
  all.open_due(own)
end
local index = OWN .. ':s'

local function oldest_of(lane)
  local id = call('LINDEX', OWN .. ':l:' .. lane, -1) or call('ZRANGE', OWN .. ':p:' .. lane, 0, 0)[1]
  if id then
    local job = call('HMGET', BASE .. id, 'timestamp', 'delay')
    return (tonumber(job[1]) or 0) + (tonumber(job[2]) or 0)
  end
end

for _ = 1, accounts and 0 or most do
  local entries = call('ZRANGEBYSCORE', index, from, '+inf', 'WITHSCORES', 'LIMIT', skip, want)
  local exact = true
  for i = 1, #entries, 2 do
    local since = oldest_of(entries[i])
    if not since then
      -- Empty. An account still remembered in ready may get a job at any time from now on.
      local g, a = gated().split(entries[i])
      if call('ZSCORE', OWN .. ':r:' .. g, a) or call('ZSCORE', OWN .. ':h:' .. g, a) then
        since = floor(now())
      else
        call('ZREM', index, entries[i])
        exact = false
      end
    end
    if since and since > tonumber(entries[i + 1]) then
      call('ZADD', index, since, entries[i])
      exact = false
    end
  end
  if exact then
    break
  end
end

local FEW_LANES = 500

-- All ready or held lanes that have waited since then or later, where they are few. The total of a group holds its
-- ready lanes, too.
local function few(kind)
  local sets, total = {}, 0
  for _, g in ipairs(choosing().groups_of(own)) do
    local is_closed = all.total_closed(g, 1) ~= nil
    for _, each in ipairs({ 'r', 'h' }) do
      if (each == 'h' or is_closed) == (kind == 'h') then
        local set = OWN .. ':' .. each .. ':' .. g
        sets[set] = g
        total = total + call('ZCARD', set)
      end
    end
  end
  if total > FEW_LANES then
    return nil
  end
  local least, rows = tonumber(ARGV[3]) or 0, {}
  for set, g in pairs(sets) do
    for _, account in ipairs(call('ZRANGE', set, 0, -1)) do
      local lane = g .. ':' .. account
      local since = oldest_of(lane)
      if since and since >= least then
        rows[#rows + 1] = { lane, since }
      end
    end
  end
  table.sort(rows, function(one, other)
    return one[2] < other[2]
  end)
  for at, row in ipairs(rows) do
    rows[at] = row[1]
  end
  return rows
end

local function wanted()
  local lanes = ARGV[6] ~= '' and few(ARGV[6])
  if lanes then
    return lanes, '', 0
  end
  lanes = {}
  if not accounts then
    local entries = call('ZRANGEBYSCORE', index, from, '+inf', 'WITHSCORES', 'LIMIT', skip, want)
    local last, same = entries[#entries] or '', 0
    for i = 1, #entries, 2 do
      lanes[#lanes + 1] = entries[i]
      same = same + (entries[i + 1] == last and 1 or 0)
    end
    return lanes, last, same
  end
  for _, g in ipairs(choosing().groups_of(own)) do
    for _, account in ipairs(accounts) do
      lanes[#lanes + 1] = g .. ':' .. account
    end
  end
  return lanes, '', 0
end

local lanes, last, same = wanted()
local reply = { last == '' and 0 or #lanes, last, same }
for _, lane in ipairs(lanes) do
  local waiting = all.length(own, lane)
  if waiting > 0 then
    local g, a = gated().split(lane)
    reply[#reply + 1] = lane
    reply[#reply + 1] = string.format('%d', oldest_of(lane))
    reply[#reply + 1] = waiting
    reply[#reply + 1] = (call('ZSCORE', OWN .. ':h:' .. g, a) or all.total_closed(g, 1)) and '1' or '0'
  end
end
all.save_others()
save(own)
return reply
