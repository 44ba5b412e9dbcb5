--[[
  Claims a job unless the caller holds it already, and starts an effect that no earlier attempt has started.
  Invariant: the fence is raised at each claim, so of all attempts only the last one can write.

  KEYS
    1  hash of the job
    2  jobs by the time they were last touched
  ARGV
    1  job id
    2  holder     names the attempt
    3  fence      held by the attempt, '' to claim
    4  effect name
    5  input hash
    6  timeoutMs
    7  now        '' for the server's clock

  Reply  { 'stale' } | { 'perform', fence } | { 'done', fence, effect, result or '' }
         | { 'unsettled', fence, effect, nowMs }; effect as JSON
]]
--- @include "server-time"
--- @include "effect"

local job, holder, name, now = KEYS[1], ARGV[2], ARGV[4], serverTimeMs(ARGV[7])
local fence = redis.call('HGET', job, 'fence')
if ARGV[3] ~= '' then
  if fence ~= ARGV[3] then
    return { 'stale' }
  end
elseif redis.call('HGET', job, 'holder') ~= holder then
  fence = tostring(redis.call('HINCRBY', job, 'fence', 1))
  redis.call('HSET', job, 'holder', holder)
end
redis.call('ZADD', KEYS[2], now, ARGV[1])

local effect = readEffect(job, name)
if not effect or effect.state == 'not_applied' then
  writeEffect(job, name, {
    state = 'started',
    fence = fence,
    firstMs = now,
    startedMs = now,
    timeoutMs = tonumber(ARGV[6]),
    atMs = now,
    inputHash = ARGV[5],
  })
  return { 'perform', fence }
end
if effect.state == 'started' and effect.fence == fence then
  -- The reply to this very attempt was lost: it has not sent anything yet.
  return { 'perform', fence }
end
if effect.state == 'done' then
  return { 'done', fence, cjson.encode(effect), redis.call('HGET', job, 'r:' .. name) or '' }
end
return { 'unsettled', fence, cjson.encode(effect), now }
