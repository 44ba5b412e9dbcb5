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
    4  count     most letters that are looked at
    5  filter    JSON { name?, tag?, code?, since? }: all that is given must hold; `since` in ms
    6  field, ... of the job that each row brings

  Computed keys: <base><id>, sharing the hash tag.
  Bound: `count` letters and O(log n) single reads to find the place.
  Reply
    1  1 when there is nothing behind what was looked at, else 0
    2  how many were looked at
    3  diedAtMs, id of the last one that was looked at; '' where there is none
    4  rows { id, diedAtMs, code, value of each field }, '' where a field is missing
]]
--- @include "dead-code"
--- @include "rank-behind"

local dead, base, count, filter = KEYS[1], ARGV[1], tonumber(ARGV[4]), cjson.decode(ARGV[5])
local fields = { 'name', 'tg', 'flErrors', 'opts', unpack(ARGV, 6) }

local rank = rankBehind(dead, ARGV[2], ARGV[3])
local found = redis.call('ZREVRANGE', dead, rank, rank + count - 1, 'WITHSCORES')
local rows, looked, last = {}, 0, { '', '' }
local isEnd = #found < 2 * count
for at = 1, #found, 2 do
  local id, diedAtMs = found[at], found[at + 1]
  if filter.since and tonumber(diedAtMs) < filter.since then
    isEnd = true
    break
  end
  looked, last = looked + 1, { diedAtMs, id }
  local values = redis.call('HMGET', base .. id, unpack(fields))
  local name, tag = values[1] or '', values[2] or ''
  -- Of a job whose hash is gone only the id is left.
  local isThere = values[1] or values[4]
  if isThere and (not filter.name or filter.name == name) and (not filter.tag or filter.tag == tag) then
    local code = deadCode(values[3])
    if not filter.code or filter.code == code then
      local row = { id, diedAtMs, code }
      for i = 5, #fields do
        row[#row + 1] = values[i] or ''
      end
      rows[#rows + 1] = row
    end
  end
end
return { isEnd and 1 or 0, looked, last, rows }
