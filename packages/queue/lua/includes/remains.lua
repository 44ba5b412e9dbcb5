--[[
  Takes away what is left of a job that gives way to a new run of its key: an ended one, or one whose hash was
  deleted behind BullMQ's back (its id would still be dequeued, and run twice).
  Computed keys: the job's own and the queue's states, as in BullMQ's removeJob; all share the hash tag.
]]
local function removeRemains(queueKey, id)
  redis.call('ZREM', queueKey .. 'completed', id)
  redis.call('ZREM', queueKey .. 'failed', id)
  redis.call('ZREM', queueKey .. 'delayed', id)
  redis.call('ZREM', queueKey .. 'prioritized', id)
  redis.call('LREM', queueKey .. 'wait', 0, id)
  redis.call('LREM', queueKey .. 'active', 0, id)
  redis.call('SREM', queueKey .. 'stalled', id)
  local jobKey = queueKey .. id
  redis.call('DEL', jobKey, jobKey .. ':logs', jobKey .. ':lock')
end
