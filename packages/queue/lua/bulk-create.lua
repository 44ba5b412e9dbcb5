--[[
  Registers a bulk operation, once for each idempotency key.

  KEYS
    1  ids of the running operations
    2  the operation
    3  what an idempotency key stands for; the operation again where there is none
  ARGV
    1  id
    2  bodyHash    of the request, '' without an idempotency key
    3  maxRunning
    4  field, value, ... of the operation

  Reply  { 'created' | 'repeated' | 'conflict' | 'too_many', id of the operation or '' }
]]
local id, bodyHash = ARGV[1], ARGV[2]
if bodyHash ~= '' then
  local known = redis.call('HMGET', KEYS[3], 'bodyHash', 'id')
  if known[1] then
    return { known[1] == bodyHash and 'repeated' or 'conflict', known[2] }
  end
end
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[3]) then
  return { 'too_many', '' }
end
redis.call('HSET', KEYS[2], 'state', 'running', 'done', 0, 'failed', 0, 'fence', 0, unpack(ARGV, 4))
if bodyHash ~= '' then
  redis.call('HSET', KEYS[2], 'idempotencyKey', KEYS[3])
  redis.call('HSET', KEYS[3], 'bodyHash', bodyHash, 'id', id)
end
redis.call('SADD', KEYS[1], id)
return { 'created', id }
