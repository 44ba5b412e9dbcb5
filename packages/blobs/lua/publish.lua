--[[
  Makes a stored blob known by its digest, so that the same bytes are not stored twice, and begins its owner's hold
  anew: storing may have taken long.

  KEYS
    1  holders of the blob, by the time their hold ends
    2  blobs by the time they are looked at next
    3  what is known of the blob
    4  id of the blob to use for the digest
  ARGV
    1  blob id
    2  owner
    3  holdMs
    4  digest
    5  bytes
    6  now     '' for the server's clock

  Reply  when the hold ends, or 0 when the owner's hold was lost
]]
--- @include "server-time"

local id, owner = ARGV[1], ARGV[2]
if not redis.call('ZSCORE', KEYS[1], owner) then
  return 0
end
redis.call('HSET', KEYS[3], 'digest', ARGV[4], 'bytes', ARGV[5])
redis.call('SET', KEYS[4], id)
local untilMs = serverTimeMs(ARGV[6]) + tonumber(ARGV[3])
redis.call('ZADD', KEYS[1], 'GT', untilMs, owner)
return tonumber(redis.call('ZSCORE', KEYS[1], owner))
