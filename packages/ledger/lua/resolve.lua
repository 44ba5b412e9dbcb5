--[[
  A person's word on an effect whose outcome nobody could tell. Raises the fence: an attempt under way can neither
  perform nor overwrite it. Asked twice, it answers the same.

  KEYS
    1  hash of the job
    2  jobs by the time they were last touched
  ARGV
    1  job id
    2  effect name
    3  state        'done' or 'not_applied'
    4  result       JSON text; '' unless done
    5  external id  '' for none
    6  now          '' for the server's clock

  Reply  'resolved' | 'no_such_effect' | 'settled'
]]
--- @include "server-time"
--- @include "effect"

local job, name, state, now = KEYS[1], ARGV[2], ARGV[3], serverTimeMs(ARGV[6])
local effect = readEffect(job, name)
if not effect then
  return 'no_such_effect'
end
if effect.state == 'done' or effect.state == 'not_applied' then
  local externalId = ARGV[5] ~= '' and ARGV[5] or nil
  local isSame = effect.state == state and (state == 'not_applied' or effect.externalId == externalId)
  return isSame and 'resolved' or 'settled'
end
effect.fence = tostring(redis.call('HINCRBY', job, 'fence', 1))
redis.call('HDEL', job, 'holder')
effect.state = state
effect.atMs = now
if state == 'done' then
  effect.kept = 'json'
  effect.externalId = ARGV[5] ~= '' and ARGV[5] or nil
  redis.call('HSET', job, 'r:' .. name, ARGV[4])
end
writeEffect(job, name, effect)
redis.call('ZADD', KEYS[2], now, ARGV[1])
return 'resolved'
