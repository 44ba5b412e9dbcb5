--[[
  Around reprocessJob: a replay is a new run of the same job, so what belongs to the run that ended goes. The history of
  errors stays, for people.

  KEYS  those of the wrapped script (1 is the job's hash, 3 the set it ended in), then
    bucket
    the bulk operation that asks for it; the bucket again where none does
  ARGV  those of the wrapped script (1 is the job's id), then
    field
    diedAtMs  when the run to replay died, or '' for whichever ended last
    operation  id of the bulk operation, or ''
    fence      of its runner

  Reply  that of the wrapped script, and
    -102  it is not dead since then, or the bulk operation has ended, is another runner's or has replayed it before;
          nothing was done
]]
--- @include "read-entry"
--- @include "write-entry"
--- @include "died-at"

local bucketKey, field, diedAtMs = outerKeys[1], outerArgs[1], tonumber(outerArgs[2])
if diedAtMs and not diedAt(KEYS[1], KEYS[3], ARGV[1], diedAtMs) then
  return -102
end

local operationKey, operation, fence = outerKeys[2], outerArgs[3], outerArgs[4]
if operation ~= '' then
  local held = redis.call('HMGET', operationKey, 'state', 'fence')
  local isOver = held[1] ~= 'running' or held[2] ~= fence
  -- By its time of death alone a second death could pass for the first, where the clocks of workers differ.
  if isOver or redis.call('HGET', KEYS[1], 'flOperation') == operation then
    return -102
  end
end

local reply = inner(KEYS, ARGV)
if reply ~= 1 then
  return reply
end
redis.call('HDEL', KEYS[1], 'flDeferredSince', 'flCancel', 'hr', 'stc', 'defa')
-- In the same script, so that a runner that is killed leaves no replay uncounted.
if operation ~= '' then
  redis.call('HINCRBY', operationKey, 'done', 1)
  redis.call('HSET', KEYS[1], 'flOperation', operation)
end
local entry = readEntry(bucketKey, field)
if entry then
  entry.state, entry.endedAtMs = 'L', nil
  writeEntry(bucketKey, field, entry)
end
return reply
