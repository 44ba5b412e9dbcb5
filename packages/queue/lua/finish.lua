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
--- @include "entry"

local bucketKey, field = outerKeys[1], outerArgs[1]
local fields = redis.call('HMGET', KEYS[12], 'flGen', 'parent')
local generation = tonumber(fields[1] or 1)
if fields[2] and not pcall(cjson.decode, fields[2]) then
  -- BullMQ decodes it after it has given up the lock: the job could never be finished (A23).
  redis.call('HDEL', KEYS[12], 'parent', 'parentKey')
end

local reply = inner(KEYS, ARGV)
if type(reply) == 'number' and reply < 0 then
  return reply
end

local entry = readEntry(bucketKey, field)
if entry and entry.generation == generation then
  entry.state = ARGV[5] == 'completed' and 'C' or 'D'
  entry.endedAtMs = serverTimeMs()
  writeEntry(bucketKey, field, entry)
end
return reply
