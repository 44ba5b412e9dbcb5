--[[
  Cancels a job, inside the lanes. A waiting one is taken out at once and kept as cancelled; of a running one the
  wish is noted, and its worker told: a worker that misses the message finds the note when it renews the lease, or
  when it starts the job again.

  KEYS
    1  dedup bucket of the id
  ARGV
    1   field in the bucket
    2   id
    3   base     '<prefix>:', in front of every queue name
    4   channel  where workers listen
    5.. queues   to look in when the dedup memory does not know the job

  Computed keys: the job's own and its queue's states, sharing the hash tag.
  Reply  'cancelled', 'cancelling', 'already_finished' or 'not_found'
]]
--- @include "read-entry"
--- @include "job-state"
--- @include "find-job"

local field, id, base, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local queue, state = findJob(readEntry(KEYS[1], field), base, id, { unpack(ARGV, 5) })
if not queue then
  return 'not_found'
elseif state == 'completed' or state == 'dead' or state == 'cancelled' then
  return 'already_finished'
end

local queueKey = base .. queue .. ':'
local now = math.floor(redis.now())
redis.call('HSET', queueKey .. id, 'flCancel', now)
if state == 'active' then
  redis.call('PUBLISH', channel, id)
  return 'cancelling'
end
redis.call('HSET', queueKey .. id, 'finishedOn', now, 'hr', '')
redis.call('ZADD', queueKey .. 'cancelled', now, id)
redis.call('LREM', queueKey .. 'wait', 0, id)
redis.call('ZREM', queueKey .. 'prioritized', id)
redis.call('ZREM', queueKey .. 'delayed', id)
redis.call('XADD', queueKey .. 'events', '*', 'event', 'cancelled', 'jobId', id)
return 'cancelled'
