--[[
  State of a job as BullMQ's keys tell it, or nil when there is no such job.
  Computed keys: <queueKey><id>, <queueKey>completed|failed|delayed|active; all share the hash tag.
  O(log n) but for `active`, which is as long as the workers have slots.
  Returns state, finishedOn (a number for completed and dead).
]]
local function jobState(queueKey, id)
  local jobKey = queueKey .. id
  if redis.call('EXISTS', jobKey) == 0 then
    return nil
  end
  local fields = redis.call('HMGET', jobKey, 'finishedOn', 'ats', 'flHeldReason')
  if fields[1] then
    if redis.call('ZSCORE', queueKey .. 'completed', id) then
      return 'completed', tonumber(fields[1])
    end
    if redis.call('ZSCORE', queueKey .. 'failed', id) then
      return 'dead', tonumber(fields[1])
    end
  end
  if redis.call('ZSCORE', queueKey .. 'delayed', id) then
    if fields[3] and fields[3] ~= '' then
      return 'held'
    end
    return fields[2] and 'retrying' or 'scheduled'
  end
  if redis.call('LPOS', queueKey .. 'active', id) then
    return 'active'
  end
  return 'ready'
end
