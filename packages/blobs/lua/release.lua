--[[
  Ends an owner's hold. A blob that nobody holds is due at once.

  KEYS
    1  holders of the blob, by the time their hold ends
    2  blobs by the time they are looked at next
  ARGV
    1  blob id
    2  owner
    3  now     '' for the server's clock

  Reply  1 when the owner held it, else 0
]]
--- @include "server-time"

local held = redis.call('ZREM', KEYS[1], ARGV[2])
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('ZADD', KEYS[2], 'XX', serverTimeMs(ARGV[3]), ARGV[1])
end
return held
