--[[
  Stores a reading, and removes what goes beyond the bounds: the oldest of its account, and the oldest of the account
  that told nothing for longest. Not more than one is added, so one each is enough.

  KEYS
    1  readings of the account: JSON by the time of their measuring
    2  accounts by the time of their last reading
    3  readings in all
  ARGV
    1  account
    2  time of the measuring  ms
    3  reading  JSON
    4  most readings of one account
    5  most readings in all
    6  beginning of the keys like KEYS[1], to which an account is added (same hash tag)

  Reply  1 when it was stored, 0 when it was there already
]]
if redis.call('ZADD', KEYS[1], ARGV[2], ARGV[3]) == 0 then
  return 0
end
local now = redis.call('TIME')
redis.call('ZADD', KEYS[2], now[1] * 1000000 + now[2], ARGV[1])
local count = redis.call('INCR', KEYS[3])
if redis.call('ZCARD', KEYS[1]) > tonumber(ARGV[4]) then
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, 0)
  count = redis.call('DECR', KEYS[3])
end
if count > tonumber(ARGV[5]) then
  local account = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
  local list = ARGV[6] .. account
  if redis.call('ZREMRANGEBYRANK', list, 0, 0) == 1 then
    redis.call('DECR', KEYS[3])
  end
  if redis.call('EXISTS', list) == 0 then
    redis.call('ZREM', KEYS[2], account)
  end
end
return 1
