--[[
  Wraps addStandardJob, addDelayedJob and addPrioritizedJob: decides by the dedup table and adds the job in one
  step, so that of any number of concurrent submits of a key exactly one is accepted (R12).

  KEYS  those of the wrapped script, then
    bucket   dedup bucket of the job id
  ARGV  those of the wrapped script, then
    field        the id's field in the bucket
    id           job id
    digest       of the payload
    queue        where the job goes
    base         '<prefix>:', in front of every queue name
    retentionMs  how long the memory outlives the end of a run
    deadlineMs   server time after which the producer has given up: adding now would add a job it reported refused
    first        '1': another payload counts as a duplicate of the first

  Reply
    { 'accepted', generation }
    { 'duplicate', state }   state of the job that holds the key
    { 'conflict', state }
    { 'expired', nowMs }     nothing was done
    a negative number        BullMQ's refusal, nothing was remembered
]]
--- @include "server-time"
--- @include "read-entry"
--- @include "write-entry"
--- @include "job-state"
--- @include "remains"

local bucketKey = outerKeys[1]
local field, id, digest, queue, base = outerArgs[1], outerArgs[2], outerArgs[3], outerArgs[4], outerArgs[5]
local retentionMs, deadlineMs, first = tonumber(outerArgs[6]), tonumber(outerArgs[7]), outerArgs[8] == '1'

local nowMs = serverTimeMs()
if nowMs > deadlineMs then
  return { 'expired', nowMs }
end

-- State of the job that holds the key, or nil when the key is free.
local function holder(entry, queueOfJob)
  local state, finishedOn = jobState(base .. queueOfJob .. ':', id)
  if state == 'completed' or state == 'dead' then
    local endedAtMs = entry and entry.endedAtMs or finishedOn or nowMs
    return nowMs - endedAtMs < retentionMs and state or nil
  end
  if state then
    return state
  end
  -- The hash is gone. A completed job may have been trimmed; anything else was removed, which frees the key.
  if entry and entry.state == 'C' and nowMs - entry.endedAtMs < retentionMs then
    return 'completed'
  end
  return nil
end

local entry = readEntry(bucketKey, field)
local state = holder(entry, entry and entry.queue or queue)
if state then
  if entry and entry.digest ~= digest and not first then
    return { 'conflict', state }
  end
  return { 'duplicate', state }
end

local generation = 1
if entry then
  generation = entry.generation + 1
  removeRemains(base .. entry.queue .. ':', id)
end
if not entry or entry.queue ~= queue then
  -- Only a finished job can be there without an entry that names this queue: BullMQ would take it for a duplicate.
  if redis.call('EXISTS', base .. queue .. ':' .. id) == 1 then
    removeRemains(base .. queue .. ':', id)
  end
end

local reply = inner(KEYS, ARGV)
if type(reply) == 'number' and reply < 0 then
  return reply
end
writeEntry(bucketKey, field, { state = 'L', generation = generation, digest = digest, queue = queue })
if generation > 1 then
  redis.call('HSET', base .. queue .. ':' .. id, 'flGen', generation)
end
return { 'accepted', generation }
