--[[
  Wraps moveToFinished: when BullMQ agrees to the end of a run, the dedup entry of the key takes the end's state and
  time in the same step. Retention is counted from here.

  KEYS  those of the wrapped script (12 is the job's hash), then
    bucket
  ARGV  those of the wrapped script (5 is completed or failed), then
    field

  Reply  that of the wrapped script.
]]
--- @include "server-time"
--- @include "read-entry"
--- @include "write-entry"

local bucketKey, field = outerKeys[1], outerArgs[1]

local reply = inner(KEYS, ARGV)
if type(reply) == 'number' and reply < 0 then
  return reply
end

local entry = readEntry(bucketKey, field)
if not entry then
  return reply
end
-- Of a later generation than this run's, the entry is not ours. Most keys are accepted once: no read for those.
if entry.generation == 1 or entry.generation == tonumber(redis.call('HGET', KEYS[12], 'flGen') or 1) then
  entry.state = ARGV[5] == 'completed' and 'C' or 'D'
  entry.endedAtMs = serverTimeMs()
  writeEntry(bucketKey, field, entry)
end
return reply
