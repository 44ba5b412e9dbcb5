--[[
  Around reprocessJob: a replay is a new run of the same job, so what belongs to the run that ended goes. The history of
  errors stays, for people.

  KEYS  those of the wrapped script (1 is the job's hash, 3 the set it ended in), then
    bucket
  ARGV  those of the wrapped script (1 is the job's id), then
    field
    diedAtMs  when the run to replay died, or '' for whichever ended last

  Reply  that of the wrapped script, and
    -102  it is not dead since then, nothing was done
]]
--- @include "read-entry"
--- @include "write-entry"
--- @include "died-at"

local bucketKey, field, diedAtMs = outerKeys[1], outerArgs[1], tonumber(outerArgs[2])
if diedAtMs and not diedAt(KEYS[1], KEYS[3], ARGV[1], diedAtMs) then
  return -102
end

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
