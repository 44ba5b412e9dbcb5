--[[
  State of a job, or nil when there is no such job. For scripts inside the lanes.
  Computed keys: <queueKey><id>, <queueKey>completed|failed|cancelled|delayed|active; all share the hash tag.
  O(log n) but for `active`, which is as long as the workers have slots.
  Returns state, and for completed and dead when it ended, for held the reason and, where it can be known, until when.
]]
local function jobState(queueKey, id)
  local jobKey = queueKey .. id
  if redis.call('EXISTS', jobKey) == 0 then
    return nil
  end
  local fields = redis.call('HMGET', jobKey, 'finishedOn', 'ats', 'hr')
  if fields[1] then
    for set, state in pairs({ completed = 'completed', failed = 'dead', cancelled = 'cancelled' }) do
      if redis.call('ZSCORE', queueKey .. set, id) then
        return state, tonumber(fields[1])
      end
    end
  end
  local due = redis.call('ZSCORE', queueKey .. 'delayed', id)
  if due then
    if fields[3] and fields[3] ~= '' then
      return 'held', fields[3], math.floor(due / 0x1000)
    end
    return fields[2] and 'retrying' or 'scheduled', math.floor(due / 0x1000)
  end
  if redis.call('LPOS', queueKey .. 'active', id) then
    return 'active'
  end
  local why, untilMs = redis.lanes().held(queueKey, id)
  if why then
    return 'held', why, untilMs
  end
  return 'ready'
end
