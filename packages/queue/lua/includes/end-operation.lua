--[[ Ends a bulk operation; it can be asked about, and its idempotency key stands for it, for `keptMs` more. ]]
local function endOperation(operationKey, runningKey, id, state, keptMs)
  redis.call('HSET', operationKey, 'state', state)
  redis.call('SREM', runningKey, id)
  redis.call('PEXPIRE', operationKey, keptMs)
  local idempotencyKey = redis.call('HGET', operationKey, 'idempotencyKey')
  if idempotencyKey then
    redis.call('PEXPIRE', idempotencyKey, keptMs)
  end
end
