--[[
  One bounded step through the waiting lanes of one queue: how many there are, why they wait, since when. Changes
  nothing. Lanes that move meanwhile may be met twice or not at all.

  KEYS[1] the queue's own key. ARGV[1] cursor: '<group index>:<kind>:<from>' or ''  [2] batch size, then the key prefix
  and a time for tests.
  Reply: the next cursor ('' = all have been met), lanes met, then flat rows: reason ('' = open), lanes, since (ms) of
  the job that has waited longest, or for open lanes since when it could have run.
]]
local all = rare()
local batch = tonumber(ARGV[2])
local at, kind, from = string.match(ARGV[1], '^(%d+):(%a):(%d+)$')
at, kind, from = tonumber(at) or 1, kind or 'h', tonumber(from) or 0
load(own)
-- What is held is judged by its gate even where settings are gone meanwhile.
own.lim = own.lim or 1
local group = choosing().groups_of(own)[at]
if not group then
  return { '', 0 }
end

local rows = {}
local function meet(reason, since)
  local row = rows[reason]
  if not row then
    rows[reason] = { 1, since }
  else
    row[1] = row[1] + 1
    row[2] = math.min(row[2], since)
  end
end

local page = call('ZRANGE', OWN .. ':' .. kind .. ':' .. group, from, from + batch - 1)
for _, account in ipairs(page) do
  local lane = group .. ':' .. account
  local id = call('LINDEX', OWN .. ':l:' .. lane, -1) or call('ZRANGE', OWN .. ':p:' .. lane, 0, 0)[1]
  if id then
    local job = call('HMGET', BASE .. id, 'timestamp', 'delay')
    local since = (tonumber(job[1]) or 0) + (tonumber(job[2]) or 0)
    local cost = choosing().next_cost(own, lane)
    local _, why
    if kind == 'h' then
      _, why = all.lane_closed(gated().gate_of(own, group, account), cost)
    else
      _, why = all.total_closed(group, cost)
    end
    if not why then
      -- Not before the lane got its first job or its gate opened; nobody may have opened the lane yet.
      local opened = kind == 'h' and call('ZSCORE', OWN .. ':c', lane)
      since = math.max(since, tonumber(call('ZSCORE', OWN .. ':s', lane)) or 0, tonumber(opened) or 0)
    end
    meet(why or '', since)
  end
end

local cursor
if #page == batch then
  cursor = string.format('%d:%s:%d', at, kind, from + batch)
elseif kind == 'h' then
  cursor = string.format('%d:r:0', at)
elseif choosing().groups_of(own)[at + 1] then
  cursor = string.format('%d:h:0', at + 1)
end
local reply = { cursor or '', #page }
for reason, row in pairs(rows) do
  reply[#reply + 1] = reason
  reply[#reply + 1] = row[1]
  reply[#reply + 1] = string.format('%d', row[2])
end
return reply
