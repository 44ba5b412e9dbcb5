--[[
  Everything a job view needs, read in one step.

  KEYS
    1  dedup bucket of the id
  ARGV
    1   field in the bucket
    2   id
    3   base    '<prefix>:', in front of every queue name
    4.. queues  to look in when the dedup memory does not know the job

  Computed keys: those of job-state.lua and <queueKey><id>:lock, sharing the hash tag.
  Bound: as many queues as are declared.
  Reply  { queue, state, nowMs, delayedScore or '', leaseMs, { field, value, ... } }, or nil when there is no such job
]]
--- @include "server-time"
--- @include "read-entry"
--- @include "job-state"

local id, base = ARGV[2], ARGV[3]

local function view(queue)
  local queueKey = base .. queue .. ':'
  local state = jobState(queueKey, id)
  if not state then
    return nil
  end
  return {
    queue,
    state,
    serverTimeMs(),
    redis.call('ZSCORE', queueKey .. 'delayed', id) or '',
    redis.call('PTTL', queueKey .. id .. ':lock'),
    redis.call('HGETALL', queueKey .. id),
  }
end

local entry = readEntry(KEYS[1], ARGV[1])
local found = entry and view(entry.queue)
if found then
  return found
end
for i = 4, #ARGV do
  found = view(ARGV[i])
  if found then
    return found
  end
end
return nil
