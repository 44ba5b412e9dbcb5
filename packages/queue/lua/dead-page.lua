--[[
  Dead letters of one queue in the order of their ends, the latest first and ids descending within a millisecond, from
  behind a place in that order. The place need not exist any more: letters that are replayed or purged between two pages
  shift nothing.

  KEYS
    1  ids of dead jobs by the end of their run: the queue's set, or the index of an account in it
  ARGV
    1  base      key prefix of the queue
    2  diedAtMs  of the place, '' to begin with the latest
    3  id        of the place
    4  count     most rows

  Computed keys: <base><id>, sharing the hash tag.
  Bound: `count` rows and O(log n) single reads to find the place.
  Reply  rows { id, diedAtMs, name, ln, tg, timestamp, atm, opts, flErrors }, '' where a field is missing
]]
local dead, base, placeMs, placeId, count = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

-- Bytes, as Redis orders members: Lua's `<` follows the locale of the server.
local function isBefore(id, other)
  for at = 1, math.min(#id, #other) do
    local byte, otherByte = string.byte(id, at), string.byte(other, at)
    if byte ~= otherByte then
      return byte < otherByte
    end
  end
  return #id < #other
end

-- Rank of the first one behind the place. Any number may have died in one millisecond, so these are bisected.
local function firstRank()
  if placeMs == '' then
    return 0
  end
  local low = redis.call('ZCOUNT', dead, '(' .. placeMs, '+inf')
  local high = low + redis.call('ZCOUNT', dead, placeMs, placeMs)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if isBefore(redis.call('ZREVRANGE', dead, middle, middle)[1], placeId) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local rank = firstRank()
local found = redis.call('ZREVRANGE', dead, rank, rank + count - 1, 'WITHSCORES')
local rows = {}
for at = 1, #found, 2 do
  local fields = redis.call('HMGET', base .. found[at], 'name', 'ln', 'tg', 'timestamp', 'atm', 'opts', 'flErrors')
  local row = { found[at], found[at + 1] }
  for i = 1, 7 do
    row[#row + 1] = fields[i] or ''
  end
  rows[#rows + 1] = row
end
return rows
