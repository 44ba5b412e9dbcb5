--[[
  Around removeJob: a job removed before it completed frees its key at once, with the generation kept, so that a late
  clean-up of this run cannot touch the next one (A06). A completed job's key stays taken for its retention.

  KEYS  those of the wrapped script (1 is the job's hash), then
    bucket
  ARGV  those of the wrapped script (1 is the job's id, 3 the queue's key prefix), then
    field
    diedAtMs  when the run to remove died, or '' for whichever is there

  Reply  that of the wrapped script, and
    -102  it is not dead since then, nothing was done
]]
--- @include "read-entry"
--- @include "write-entry"
--- @include "died-at"

local bucketKey = outerKeys[1]
local field, diedAtMs = outerArgs[1], tonumber(outerArgs[2])
if diedAtMs and not diedAt(KEYS[1], ARGV[3] .. 'failed', ARGV[1], diedAtMs) then
  return -102
end

local job = redis.call('HMGET', KEYS[1], 'name', 'flGen', 'finishedOn')
local generation = tonumber(job[2] or 1)
local completed = job[3] and redis.call('ZSCORE', ARGV[3] .. 'completed', ARGV[1])

local reply = inner(KEYS, ARGV)
if reply ~= 1 or not job[1] then
  return reply
end

local entry = readEntry(bucketKey, field)
if entry and entry.generation == generation then
  entry.state = completed and 'C' or 'P'
  entry.endedAtMs = completed and tonumber(job[3]) or math.floor(redis.now())
  writeEntry(bucketKey, field, entry)
end
return reply
