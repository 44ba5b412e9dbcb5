--[[
  A page of one queue's jobs in one of BullMQ's states, newest first, of an account, of a tag (in any
  state), or of all, from behind a place: what was read last.

  KEYS[1] the queue's own key.
  ARGV[1] state: waiting, prioritized, active, delayed, failed, completed, cancelled
  [2] '' | 'account' | 'tag'  [3] its value  [4] how many
  [5] place: the lane, or of an account its group, '' where there are none  [6] score, or index; '' = from the beginning,
  'end' = the lane is through  [7] distance from the end of a list, else ''  [8] ids read last, JSON
  then the key prefix and a time for tests.
  Reply: '1' when there may be more, the lane that is through where a step found nothing, then per job: id, its place
  (three fields as above), its state (ready, held, active, scheduled, retrying, failed, completed, cancelled), and name,
  lane, tag, timestamp, attempts made, processed, finished ('' where missing; all of them when the job is gone).
]]
local all = rare()
local state, by, value, count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local place = { lane = ARGV[5], at = ARGV[6], tail = tonumber(ARGV[7]), ids = cjson.decode(ARGV[8]) }
load(own)
local found = {}
local more, through = false, ''

local function add(id, lane, at, tail)
  found[#found + 1] = { id, lane, at, tail }
end

local function is_at(lane)
  return place.at ~= '' and place.lane == lane
end

local function read_zset(key, lane)
  local rank = is_at(lane) and all.rank_behind(key, place.at, place.ids[#place.ids]) or 0
  local part = call('ZREVRANGE', key, rank, rank + count - #found - 1, 'WITHSCORES')
  for i = 1, #part, 2 do
    add(part[i], lane, part[i + 1], '')
  end
end

local function read_list(key, lane)
  local size = call('LLEN', key)
  if size == 0 then
    return
  end
  local from = is_at(lane) and all.index_behind(key, size, tonumber(place.at), place.tail, place.ids) or 0
  for at, id in ipairs(call('LRANGE', key, from, from + count - #found - 1)) do
    local index = from + at - 1
    add(id, lane, index, size - 1 - index)
  end
end

-- As many as the workers have slots. The list changes at both ends and in the middle; when an attempt began does not.
local function read_active()
  local last = place.ids[#place.ids]
  local rows = {}
  for _, id in ipairs(call('LRANGE', BASE .. 'active', 0, -1)) do
    local since = tonumber(call('HGET', BASE .. id, 'processedOn') or nil) or 0
    local at = tonumber(place.at) or huge
    if since < at or since == at and all.is_before(id, last) then
      rows[#rows + 1] = { id, '', since, '' }
    end
  end
  table.sort(rows, function(one, other)
    return one[3] > other[3] or one[3] == other[3] and all.is_before(other[1], one[1])
  end)
  for at = 1, math.min(count, #rows) do
    rows[at][3] = string.format('%d', rows[at][3])
    found[at] = rows[at]
  end
end

local function each_group(visit)
  local skips = place.at ~= ''
  local at = string.match(place.lane, '^[^:]*')
  for _, g in ipairs(choosing().groups_of(own)) do
    skips = skips and g ~= at
    if not skips and #found < count and not more then
      visit(g)
    end
  end
end

-- All lanes of a group, by account.
local function read_lanes(g)
  local _, from = string.match(place.lane, '^([^:]*):(.*)$')
  local is_here = place.at ~= '' and string.sub(place.lane, 1, #g + 1) == g .. ':'
  local accounts
  accounts, more = all.accounts_from(own, g, is_here and from or nil, place.at == 'end')
  for _, account in ipairs(accounts) do
    local lane = g .. ':' .. account
    read_list(OWN .. ':l:' .. lane, lane)
    if #found == count then
      return
    end
    through = lane
  end
end

local INDEXES = { failed = ':x:f:', cancelled = ':x:n:', delayed = ':x:d:' }

if by == 'tag' then
  read_zset(OWN .. ':x:t:' .. value, '')
elseif state == 'active' then
  read_active()
elseif by == 'account' and state == 'completed' then
  read_list(OWN .. ':x:c:' .. value, '')
elseif by == 'account' and INDEXES[state] then
  read_zset(OWN .. INDEXES[state] .. value, '')
elseif by == 'account' then
  each_group(function(g)
    if state == 'waiting' then
      read_list(OWN .. ':l:' .. g .. ':' .. value, g)
    else
      read_zset(OWN .. ':p:' .. g .. ':' .. value, g)
    end
  end)
elseif state == 'waiting' then
  each_group(read_lanes)
else
  read_zset(BASE .. state, '')
end

local function bull_state(id)
  for _, set in ipairs({ 'completed', 'failed', 'cancelled', 'delayed' }) do
    if call('ZSCORE', BASE .. set, id) then
      return set
    end
  end
  return call('LPOS', BASE .. 'active', id) and 'active' or 'waiting'
end

local function state_of(id, started, held_reason)
  local known = by == 'tag' and bull_state(id) or state
  if known == 'delayed' then
    return held_reason and held_reason ~= '' and 'held' or started and 'retrying' or 'scheduled'
  elseif known == 'waiting' or known == 'prioritized' then
    return all.held(BASE, id) and 'held' or 'ready'
  end
  return known
end

local reply = { (more or #found == count) and '1' or '', #found == 0 and through or '' }
for _, row in ipairs(found) do
  local id = row[1]
  local job =
    call('HMGET', BASE .. id, 'name', 'ln', 'tg', 'timestamp', 'atm', 'processedOn', 'finishedOn', 'ats', 'hr')
  for i = 1, 4 do
    reply[#reply + 1] = tostring(row[i])
  end
  reply[#reply + 1] = job[1] and state_of(id, job[8], job[9]) or ''
  for i = 1, 7 do
    reply[#reply + 1] = job[i] or ''
  end
end
return reply
