--[[
  Notes that a page is through: where to go on and what failed, as one, so that a runner that is killed before has a
  page repeated and nothing counted twice.

  KEYS
    1  the operation
    2  ids of the running operations
  ARGV
    1  id
    2  fence      of the runner
    3  cursor     behind the page, '' at the end
    4  failed     of this page
    5  leaseMs    0 gives the operation up, for another runner to take at once
    6  keptMs     how long an ended operation is kept

  Computed key: that of the idempotency key, which the operation names; it shares the hash tag.
  Reply  1, or 0 when the operation has ended or is another runner's
]]
--- @include "server-time"
--- @include "end-operation"

local held = redis.call('HMGET', KEYS[1], 'state', 'fence')
if held[1] ~= 'running' or held[2] ~= ARGV[2] then
  return 0
end
redis.call('HINCRBY', KEYS[1], 'failed', ARGV[4])
-- The count that it began with had a bound.
local counts = redis.call('HMGET', KEYS[1], 'matched', 'done', 'failed')
local met = counts[2] + counts[3]
if met > tonumber(counts[1]) then
  redis.call('HSET', KEYS[1], 'matched', met)
end
if ARGV[3] == '' then
  endOperation(KEYS[1], KEYS[2], ARGV[1], 'done', ARGV[6])
else
  redis.call('HSET', KEYS[1], 'cursor', ARGV[3], 'leaseUntilMs', serverTimeMs() + tonumber(ARGV[5]))
end
return 1
