--[[
  Around reprocessJob: a replay is a new run of the same job, so what belongs to the run that ended goes. The history of
  errors stays, for people.

  KEYS  those of the wrapped script (1 is the job's hash), then
    bucket
  ARGV  those of the wrapped script, then
    field

  Reply  that of the wrapped script.
]]
--- @include "read-entry"
--- @include "write-entry"

local bucketKey, field = outerKeys[1], outerArgs[1]

local reply = inner(KEYS, ARGV)
if reply ~= 1 then
  return reply
end
redis.call('HDEL', KEYS[1], 'flDeferredSince', 'flCancel', 'hr', 'stc', 'defa')
local entry = readEntry(bucketKey, field)
if entry then
  entry.state, entry.endedAtMs = 'L', nil
  writeEntry(bucketKey, field, entry)
end
return reply
