--[[
  Forgets a job that nothing refers to, or keeps one that is still needed for another retention. A job that was
  touched since it was found is left alone.

  KEYS
    1  hash of the job
    2  jobs by the time they were last touched
  ARGV
    1  job id
    2  beforeMs  the job counts as untouched when it was last touched at this time or earlier
    3  needed    '1' to keep it
    4  now       '' for the server's clock

  Reply  1 when the job was forgotten, else 0
]]
--- @include "server-time"

local touchedMs = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not touchedMs or tonumber(touchedMs) > tonumber(ARGV[2]) then
  return 0
end
if ARGV[3] == '1' then
  redis.call('ZADD', KEYS[2], serverTimeMs(ARGV[4]), ARGV[1])
  return 0
end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
