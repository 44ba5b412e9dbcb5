--[[
  Starts an unsettled effect again.

  KEYS
    1  hash of the job
  ARGV
    1  fence
    2  effect name
    3  input hash
    4  timeoutMs
    5  keepAge  '1' when the earlier call may have been applied: its idempotency key keeps its age
    6  now      '' for the server's clock

  Reply  1, or 0 when the fence is stale
]]
--- @include "server-time"
--- @include "effect"

local job, fence, name = KEYS[1], ARGV[1], ARGV[2]
local effect = isFence(job, fence) and readEffect(job, name)
if not effect or effect.state == 'done' then
  return 0
end
local now = serverTimeMs(ARGV[6])
effect.state = 'started'
effect.fence = fence
effect.firstMs = ARGV[5] == '1' and effect.firstMs or now
effect.startedMs = now
effect.timeoutMs = tonumber(ARGV[4])
effect.atMs = now
effect.inputHash = ARGV[3]
writeEffect(job, name, effect)
return 1
