--[[
  Holds a blob for an owner. A hold is never shortened. Once a blob is doomed it can never be held again: its bytes
  may be deleted at any moment, by a process that was paused for however long.

  KEYS
    1  holders of the blob, by the time their hold ends
    2  blobs by the time they are looked at next
  ARGV
    1  blob id
    2  owner
    3  holdMs
    4  register  '1' for an id that is about to be stored, '0' for a blob that must be known
    5  now       '' for the server's clock

  Reply  when the hold ends, or 0 when the blob is not known
]]
--- @include "server-time"

local id, owner = ARGV[1], ARGV[2]
if ARGV[4] ~= '1' and not redis.call('ZSCORE', KEYS[2], id) then
  return 0
end
local untilMs = serverTimeMs(ARGV[5]) + tonumber(ARGV[3])
redis.call('ZADD', KEYS[1], 'GT', untilMs, owner)
redis.call('ZADD', KEYS[2], 'LT', untilMs, id)
return tonumber(redis.call('ZSCORE', KEYS[1], owner))
