--[[
  Takes a running operation whose runner is gone. The fence tells this runner from all before it.

  KEYS
    1  the operation
  ARGV
    1  leaseMs

  Reply  { field, value, ... } of the operation, or nil when another runs it or it has ended
]]
--- @include "server-time"

local held = redis.call('HMGET', KEYS[1], 'state', 'leaseUntilMs')
local nowMs = serverTimeMs()
if held[1] ~= 'running' or (tonumber(held[2] or nil) or 0) > nowMs then
  return nil
end
redis.call('HINCRBY', KEYS[1], 'fence', 1)
redis.call('HSET', KEYS[1], 'leaseUntilMs', nowMs + tonumber(ARGV[1]))
return redis.call('HGETALL', KEYS[1])
