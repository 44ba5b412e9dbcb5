#!lua flags=allow-oom
--[[
  Keeps how an effect ended. Allowed while memory is full: an effect that happened must be recorded, and what is
  written replaces the record of its start.

  KEYS
    1  hash of the job
  ARGV
    1  fence
    2  effect name
    3  state        'done', 'not_applied' or 'unknown'
    4  kept         'json', 'nothing', 'too_large' or 'unserialisable'; '' unless done
    5  result       JSON text; '' unless kept as such
    6  external id  '' for none
    7  now          '' for the server's clock

  Reply  1, or 0 when the fence is stale
]]
--- @include "server-time"
--- @include "effect"

local job, name, state = KEYS[1], ARGV[2], ARGV[3]
local effect = isFence(job, ARGV[1]) and readEffect(job, name)
if not effect then
  return 0
end
if effect.state == 'done' then
  return 1
end
effect.state = state
effect.fence = ARGV[1]
effect.atMs = serverTimeMs(ARGV[7])
if state == 'done' then
  effect.kept = ARGV[4]
  effect.externalId = ARGV[6] ~= '' and ARGV[6] or nil
  if ARGV[4] == 'json' then
    redis.call('HSET', job, 'r:' .. name, ARGV[5])
  end
end
writeEffect(job, name, effect)
return 1
