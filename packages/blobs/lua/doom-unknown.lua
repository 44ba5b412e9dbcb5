--[[
  Dooms an object of the store that is known to nobody. Its bytes are older than any hold, so nobody is about to
  register it either.

  KEYS
    1  blobs by the time they are looked at next
    2  doomed blobs, by the time they were doomed
  ARGV
    1  blob id
    2  now     '' for the server's clock

  Reply  1 when the object is doomed, 0 when it is known
]]
--- @include "server-time"

if redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  return 0
end
redis.call('ZADD', KEYS[2], 'NX', serverTimeMs(ARGV[2]), ARGV[1])
return 1
