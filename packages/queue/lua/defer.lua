--[[
  Around moveJobFromActiveToWait: the outside throttles. The job goes back to the front of its lane, without an attempt
  spent, and the lane's gate closes in the same step, so that neither it nor any other job of the gate is started before.

  KEYS  those of the wrapped script
  ARGV  those of the wrapped script (3 is the job's hash), then
    delayMs  for how long the gate closes
    fields   JSON array { field, value, ... } to write to the job's hash

  Reply  that of the wrapped script: a negative number when the job is no more the caller's, and then nothing is done
]]
local delayMs, fields = tonumber(outerArgs[1]), cjson.decode(outerArgs[2])

local reply = inner(KEYS, ARGV)
if reply < 0 then
  return reply
end
redis.call('HSET', ARGV[3], unpack(fields))
local group, account = string.match(redis.call('HGET', ARGV[3], 'ln') or 'default:', '^([^:]*):(.*)$')
redis.lanes().close_gate(group, account, redis.now() + delayMs)
return reply
