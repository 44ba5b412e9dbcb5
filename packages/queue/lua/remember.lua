--[[
  Writes to the dedup memory how a job ended, because its hash is about to go. Can be run again.

  KEYS
    1  dedup bucket of the id
    2  the job's hash
  ARGV
    1  field in the bucket
    2  'C' completed or 'X' cancelled

  Reply  1, or 0 where the entry is another generation's, or gone
]]
--- @include "read-entry"
--- @include "write-entry"

local job = redis.call('HMGET', KEYS[2], 'finishedOn', 'flGen')
local entry = readEntry(KEYS[1], ARGV[1])
if not job[1] or not entry or entry.generation ~= tonumber(job[2] or 1) then
  return 0
end
entry.state, entry.endedAtMs = ARGV[2], tonumber(job[1])
writeEntry(KEYS[1], ARGV[1], entry)
return 1
