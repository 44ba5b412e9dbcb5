--[[
  Drops expired entries of one dedup bucket. Correctness does not need it (an expired entry is treated as absent);
  it bounds the memory. An entry whose hash vanished without a word (a queue obliterated) gets an end, and so expires.

  KEYS
    1  dedup bucket
  ARGV
    1  retentionMs
    2  cursor of the previous call, '0' to begin
    3  base      '<prefix>:', in front of every queue name
    4  idPrefix  what bucket and field together make an id: id = idPrefix .. field

  Computed keys: <base><queue>:<id>, sharing the hash tag.
  Bound: one HSCAN page of SWEEP_PAGE; a compact hash is one page of at most its configured size.
  Reply  { cursor, removed }; cursor '0' when the bucket is done
]]
--- @include "server-time"
--- @include "write-entry"

local SWEEP_PAGE = 200
local retentionMs, base, idPrefix = tonumber(ARGV[1]), ARGV[3], ARGV[4]
local nowMs = serverTimeMs()
local page = redis.call('HSCAN', KEYS[1], ARGV[2], 'COUNT', SWEEP_PAGE)
local removed = 0
for i = 1, #page[2], 2 do
  local field = page[2][i]
  local state, generation, digest, queue, endedAtMs = unpack(cmsgpack.unpack(page[2][i + 1]), 1, 5)
  if state == 'L' and redis.call('EXISTS', base .. queue .. ':' .. idPrefix .. field) == 0 then
    writeEntry(KEYS[1], field, { state = 'P', generation = generation, digest = digest, queue = queue, endedAtMs = nowMs })
  end
  if state ~= 'L' and nowMs - endedAtMs >= retentionMs then
    redis.call('HDEL', KEYS[1], field)
    removed = removed + 1
  end
end
return { page[1], removed }
