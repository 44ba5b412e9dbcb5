--[[
  Cancels a job, inside the lanes. A waiting one is taken out at once and kept as cancelled; of a running one the
  wish is noted, and its worker told: a worker that misses the message finds the note when it renews the lease, or
  when it starts the job again.

  KEYS
    1  dedup bucket of the id
    2  the bulk operation that asks for it; the bucket again where none does
  ARGV
    1   field in the bucket
    2   id
    3   base       '<prefix>:', in front of every queue name
    4   channel    where workers listen
    5   operation  id of the bulk operation, or ''
    6   fence      of its runner
    7   createdAt  of the job that it has looked at, ms: whoever took the same key later is another
    8   states     in which it may be cancelled, JSON
    9.. queues     to look in when the dedup memory does not know the job

  Computed keys: the job's own and its queue's states, sharing the hash tag.
  Reply  { 'cancelled', queue, name }, or one word: 'cancelling', 'already_finished', 'not_found'; for an operation also
         'stopped', when it has ended or is another runner's, and 'passed_over', when the job is not the one or not in
         the state that was meant, or has been cancelled by this operation before
]]
--- @include "read-entry"
--- @include "job-state"
--- @include "find-job"

local field, id, base, channel, operation = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local queue, state = findJob(readEntry(KEYS[1], field), base, id, { unpack(ARGV, 9) })
if not queue then
  return 'not_found'
end
local queueKey = base .. queue .. ':'

local function isMeant()
  local job = redis.call('HMGET', queueKey .. id, 'timestamp', 'flOperation')
  if tonumber(job[1] or nil) ~= tonumber(ARGV[7]) or job[2] == operation then
    return false
  end
  for _, wanted in ipairs(cjson.decode(ARGV[8])) do
    if state == wanted then
      return true
    end
  end
  return false
end

if operation ~= '' then
  local held = redis.call('HMGET', KEYS[2], 'state', 'fence')
  if held[1] ~= 'running' or held[2] ~= ARGV[6] then
    return 'stopped'
  elseif not isMeant() then
    return 'passed_over'
  end
end
if state == 'completed' or state == 'dead' or state == 'cancelled' then
  return 'already_finished'
end

local now = math.floor(redis.now())
redis.call('HSET', queueKey .. id, 'flCancel', now)
-- In the same script, so that a runner that is killed leaves no job uncounted.
if operation ~= '' then
  redis.call('HINCRBY', KEYS[2], 'done', 1)
  redis.call('HSET', queueKey .. id, 'flOperation', operation)
end
if state == 'active' then
  redis.call('PUBLISH', channel, id)
  return 'cancelling'
end
redis.call('HSET', queueKey .. id, 'finishedOn', now, 'hr', '')
redis.call('ZADD', queueKey .. 'cancelled', now, id)
-- Of a long lane the newest are cancelled first, and it holds an id once: the search ends where it is found.
redis.call('LREM', queueKey .. 'wait', 1, id)
redis.call('ZREM', queueKey .. 'prioritized', id)
redis.call('ZREM', queueKey .. 'delayed', id)
redis.call('XADD', queueKey .. 'events', '*', 'event', 'cancelled', 'jobId', id)
return { 'cancelled', queue, redis.call('HGET', queueKey .. id, 'name') or '' }
