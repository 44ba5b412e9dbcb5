--[[
  Ends a running operation on purpose. No replay of it happens after this.

  KEYS
    1  the operation
    2  ids of the running operations
  ARGV
    1  id
    2  keptMs  how long an ended operation is kept

  Computed key: that of the idempotency key, which the operation names; it shares the hash tag.
  Reply  { whether this call has ended it: 1 or 0, field, value, ... }, or nil when there is no such operation
]]
--- @include "end-operation"

local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return nil
end
local ended = state == 'running' and 1 or 0
if ended == 1 then
  endOperation(KEYS[1], KEYS[2], ARGV[1], 'cancelled', ARGV[2])
end
return { ended, unpack(redis.call('HGETALL', KEYS[1])) }
