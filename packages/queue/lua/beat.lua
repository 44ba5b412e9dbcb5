--[[
  One sign of life of a worker, on the server's clock. Workers silent for too long are forgotten, so that what is kept
  is bounded in number and in time.

  KEYS
    1  zset: id of a worker -> time of its last beat, ms
    2  hash: id of a worker -> what it said of itself, JSON
    3  hash: queue -> when a worker last served it, ms
  ARGV
    1    id
    2    JSON, or '' when the worker leaves
    3    after how many ms of silence a worker is forgotten
    4    how many workers are kept at most, the latest to beat
    5..  queues it takes jobs from

  Reply  the time, ms
]]
local MOST_FORGOTTEN = 100
local time = redis.call('TIME')
local now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
if ARGV[2] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
end
for i = 5, #ARGV do
  redis.call('HSET', KEYS[3], ARGV[i], now)
end
local gone = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3], 'LIMIT', 0, MOST_FORGOTTEN)
local surplus = redis.call('ZCARD', KEYS[1]) - ARGV[4]
if #gone == 0 and surplus > 0 then
  gone = redis.call('ZRANGE', KEYS[1], 0, math.min(surplus, MOST_FORGOTTEN) - 1)
end
if #gone > 0 then
  redis.call('ZREM', KEYS[1], unpack(gone))
  redis.call('HDEL', KEYS[2], unpack(gone))
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return now
