--[[
  Whether the job is the dead letter that somebody has looked at: dead, and since then. What was decided by its errors
  and effects must not happen to a later run of it.
]]
local function diedAt(jobKey, failedKey, id, diedAtMs)
  if not redis.call('ZSCORE', failedKey, id) then
    return false
  end
  return tonumber(redis.call('HGET', jobKey, 'finishedOn') or nil) == diedAtMs
end
