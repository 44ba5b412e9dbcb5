--[[
  Around addStandardJob, addDelayedJob and addPrioritizedJob: decides by the dedup table and adds the job in one step,
  so that of any number of concurrent submits of a key exactly one is accepted (R12).

  KEYS  those of the wrapped script, then
    bucket   dedup bucket of the job id
  ARGV  those of the wrapped script, then
    field        the id's field in the bucket
    id           job id
    account      whose job it is
    digest       of the payload
    retentionMs  how long the memory outlives the end of a run
    deadlineMs   server time after which the producer has given up: adding now would add a job it reported refused
    rules        what hardly changes, as JSON, since each argument costs as much as a small command:
      queue        where the job goes
      base         '<prefix>:', in front of every queue name
      first        true: another payload counts as a duplicate of the first
      maxWaiting, maxWaitingPerAccount   bounds of the queue

  Reply
    { 'accepted', generation }
    { 'duplicate', state }   state of the job that holds the key
    { 'conflict', state }
    { 'expired', nowMs }     nothing was done
    { 'full', of }           nothing was done, since as many jobs wait as may: of the 'queue', or of the 'account'
    a negative number        BullMQ's refusal, nothing was remembered
]]
--- @include "read-entry"
--- @include "write-entry"
--- @include "job-state"

local bucketKey = outerKeys[1]
local field, id, account, digest = unpack(outerArgs, 1, 4)
local retentionMs, deadlineMs = tonumber(outerArgs[5]), tonumber(outerArgs[6])
local queue, base, first, maxWaiting, maxOfAccount = unpack(cjson.decode(outerArgs[7]))

local nowMs = math.floor(redis.now())
if nowMs > deadlineMs then
  return { 'expired', nowMs }
end

local entry = readEntry(bucketKey, field)
local place = base .. (entry and entry.queue or queue) .. ':'
local state, endedAtMs = jobState(place, id)

-- State of the job that holds the key, or nil when the key is free.
local function holder()
  if state == 'cancelled' then
    return nil
  elseif state == 'completed' or state == 'dead' then
    return nowMs - endedAtMs < retentionMs and state or nil
  elseif state then
    return state
  end
  -- The hash is gone. A completed job may have been trimmed; anything else was removed, which frees the key.
  return entry and entry.state == 'C' and nowMs - entry.endedAtMs < retentionMs and 'completed' or nil
end

local held_by = holder()
if held_by then
  if entry and entry.digest ~= digest and not first then
    return { 'conflict', held_by }
  end
  return { 'duplicate', held_by }
end

local waiting, ofAccount = redis.waiting(maxOfAccount)
if waiting >= maxWaiting then
  return { 'full', 'queue' }
elseif ofAccount >= maxOfAccount then
  return { 'full', 'account' }
end

-- What is left of the earlier run goes: an ended one, or one whose hash was deleted behind our back (its id would still
-- be dequeued, and run twice).
if entry or state then
  redis.lanes().erase(place, id, account)
end
if entry and entry.queue ~= queue and redis.call('EXISTS', base .. queue .. ':' .. id) == 1 then
  redis.lanes().erase(base .. queue .. ':', id, account)
end

local reply = inner(KEYS, ARGV)
if type(reply) == 'number' and reply < 0 then
  return reply
end
local generation = entry and entry.generation + 1 or 1
writeEntry(bucketKey, field, { state = 'L', generation = generation, digest = digest, queue = queue })
if generation > 1 then
  redis.call('HSET', base .. queue .. ':' .. id, 'flGen', generation)
end
return { 'accepted', generation }
