--[[
  Removes old completed jobs: beyond an age, then beyond a count, oldest first. Used instead of BullMQ's own retention,
  which would delete hashes without telling the indexes. Dead letters are never trimmed.

  KEYS
    1  completed, sorted by the end of the run
  ARGV
    1  queueKey  '<prefix>:<queue>:'
    2  keepMs    age to keep
    3  keepCount number to keep
    4  batch     most jobs removed by one call

  Computed keys: <queueKey><id> and what hangs on it, sharing the hash tag.
  Reply  number of jobs removed; `batch` means "call again"
]]
--- @include "server-time"

local queueKey, keepMs, keepCount, batch = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local old = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', serverTimeMs() - keepMs, 'LIMIT', 0, batch)
if #old < batch then
  local surplus = redis.call('ZCARD', KEYS[1]) - keepCount
  if surplus > #old then
    old = redis.call('ZRANGE', KEYS[1], 0, math.min(surplus, batch) - 1)
  end
end
for _, id in ipairs(old) do
  local jobKey = queueKey .. id
  redis.call('DEL', jobKey, jobKey .. ':logs', jobKey .. ':dependencies', jobKey .. ':processed',
    jobKey .. ':failed', jobKey .. ':unsuccessful')
  redis.call('ZREM', KEYS[1], id)
end
return #old
