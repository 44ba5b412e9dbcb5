--[[
  Takes back the start of an effect whose holder was never told that it may perform, and so has sent nothing. Only where
  no claim was made since, and where this very holder started it: then nobody else can have sent it either.

  KEYS
    1  hash of the job
  ARGV
    1  holder       names the attempt
    2  effect name
    3  now          '' for the server's clock

  Reply  1 when it was taken back, else 0
]]
--- @include "server-time"
--- @include "effect"

local job, name = KEYS[1], ARGV[2]
local effect = redis.call('HGET', job, 'holder') == ARGV[1] and readEffect(job, name)
if not effect or effect.state ~= 'started' or not isFence(job, effect.fence) then
  return 0
end
effect.state = 'not_applied'
effect.atMs = serverTimeMs(ARGV[3])
writeEffect(job, name, effect)
return 1
