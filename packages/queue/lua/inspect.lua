--[[
  Everything a job view needs, read in one step, inside the lanes.

  KEYS
    1  dedup bucket of the id
  ARGV
    1   field in the bucket
    2   id
    3   base    '<prefix>:', in front of every queue name
    4   accounts  '' or a JSON list: jobs of others are as unknown as those that never were, and take as long to find out
    5.. queues  to look in when the dedup memory does not know the job

  Computed keys: those of job-state.lua and <queueKey><id>:lock, sharing the hash tag.
  Reply  { queue, state, nowMs, why held or '', next run or '', leaseMs, { field, value, ... } }, or nil when there is
         no such job
]]
--- @include "read-entry"
--- @include "job-state"
--- @include "find-job"

local field, id, base = ARGV[1], ARGV[2], ARGV[3]

-- The same commands for a job of others and for none.
local function isOfOthers()
  local own = {}
  for _, account in ipairs(cjson.decode(ARGV[4])) do
    own[account] = true
  end
  local found = false
  for at = 5, #ARGV do
    local lane = redis.call('HGET', base .. ARGV[at] .. ':' .. id, 'ln')
    found = found or lane and own[string.sub(lane, string.find(lane, ':', 1, true) + 1)]
  end
  return not found
end
if ARGV[4] ~= '' and isOfOthers() then
  return nil
end

local queue, state, detail, untilMs = findJob(readEntry(KEYS[1], field), base, id, { unpack(ARGV, 5) })
if not queue then
  return nil
end
local why, nextRunAt = '', ''
if state == 'held' then
  why, nextRunAt = detail, untilMs or ''
elseif state == 'scheduled' or state == 'retrying' then
  nextRunAt = detail
end
local jobKey = base .. queue .. ':' .. id
return {
  queue,
  state,
  math.floor(redis.now()),
  why,
  nextRunAt,
  redis.call('PTTL', jobKey .. ':lock'),
  redis.call('HGETALL', jobKey),
}
