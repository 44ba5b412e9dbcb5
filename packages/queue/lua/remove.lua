--[[
  Wraps removeJob: a job removed before it completed frees its key at once, with the generation kept, so that a late
  clean-up of this run cannot touch the next one (A06). A completed job's key stays taken for its retention.

  KEYS  those of the wrapped script (1 is the job's hash), then
    bucket
  ARGV  those of the wrapped script, then
    field
    endState    'P' purged or 'X' cancelled
    generation  the only one to remove, or '' for whichever is there

  Reply  that of the wrapped script, and
    -101  the job is of another generation, nothing was done
]]
--- @include "server-time"
--- @include "read-entry"
--- @include "write-entry"

local bucketKey = outerKeys[1]
local field, endState, expected = outerArgs[1], outerArgs[2], tonumber(outerArgs[3])

local existed = redis.call('EXISTS', KEYS[1]) == 1
local generation = tonumber(redis.call('HGET', KEYS[1], 'flGen') or 1)
if existed and expected and expected ~= generation then
  return -101
end

local reply = inner(KEYS, ARGV)
if reply ~= 1 or not existed then
  return reply
end

local entry = readEntry(bucketKey, field)
if entry and entry.generation == generation and entry.state ~= 'C' then
  entry.state = endState
  entry.endedAtMs = serverTimeMs()
  writeEntry(bucketKey, field, entry)
end
return reply
