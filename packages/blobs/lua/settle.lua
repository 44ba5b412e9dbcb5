--[[
  Settles a blob whose holders were asked about: those who still need it are renewed, the others go. A blob that
  nobody holds any more is doomed: from here on it is known to nobody, and its bytes may be deleted.

  KEYS
    1  holders of the blob, by the time their hold ends
    2  blobs by the time they are looked at next
    3  what is known of the blob
    4  doomed blobs, by the time they were doomed
  ARGV
    1  blob id
    2  needed       JSON list of owners
    3  gone         JSON list of [owner, end of the hold as it was seen]; one that was held anew meanwhile stays
    4  renewMs
    5  digest keys  what the key of a digest begins with; that of this blob's digest is deleted
    6  now          '' for the server's clock

  Reply  1 when the blob is doomed, else 0
]]
--- @include "server-time"

local id, now = ARGV[1], serverTimeMs(ARGV[6])
if not redis.call('ZSCORE', KEYS[2], id) then
  return 0
end
for _, owner in ipairs(cjson.decode(ARGV[2])) do
  redis.call('ZADD', KEYS[1], 'XX', 'GT', now + tonumber(ARGV[4]), owner)
end
for _, one in ipairs(cjson.decode(ARGV[3])) do
  local owner, seenMs = one[1], one[2]
  if tonumber(redis.call('ZSCORE', KEYS[1], owner) or -1) == seenMs then
    redis.call('ZREM', KEYS[1], owner)
  end
end

local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if first[2] then
  redis.call('ZADD', KEYS[2], first[2], id)
  return 0
end
redis.call('ZADD', KEYS[4], now, id)
redis.call('ZREM', KEYS[2], id)
local digest = redis.call('HGET', KEYS[3], 'digest')
if digest and redis.call('GET', ARGV[5] .. digest) == id then
  redis.call('DEL', ARGV[5] .. digest)
end
redis.call('DEL', KEYS[3])
return 1
