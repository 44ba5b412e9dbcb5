--[[
  Everything a job view needs, read in one step, inside the lanes.

  KEYS
    1  dedup bucket of the id
  ARGV
    1   field in the bucket
    2   id
    3   base    '<prefix>:', in front of every queue name
    4   accounts  '' or a JSON list: jobs of others are as unknown as those that never were, and take as long to find out
    5   payload '1': its text whole, whatever its size
    6.. queues  to look in when the dedup memory does not know the job

  Computed keys: those of job-state.lua and <queueKey><id>:lock, sharing the hash tag.
  Bound: a value above MOST_BYTES is left out, and of a payload no more is read than a view shows, its version: a page of
  jobs must not move their payloads out of Redis.
  Reply  { queue, state, nowMs, why held or '', next run or '', leaseMs, { field, value, ... } }, or nil when there is
         no such job
]]
--- @include "read-entry"
--- @include "job-state"
--- @include "find-job"

local field, id, base = ARGV[1], ARGV[2], ARGV[3]

-- Above the largest value that the product stores in a job; what others have stored beyond it is left out.
local MOST_BYTES = 320 * 1024
-- A payload up to here is read whole, so that whatever its writer's order of fields its version is found.
local SMALL_BYTES = 2 * 1024
local SHORT = { 'name', 'ln', 'tg', 'opts', 'flErrors', 'flGen', 'timestamp', 'priority' }
local PROGRESS = { 'atm', 'ats', 'stc', 'pb', 'processedOn', 'finishedOn' }

-- The same commands for a job of others and for none.
local function isOfOthers()
  local own = {}
  for _, account in ipairs(cjson.decode(ARGV[4])) do
    own[account] = true
  end
  local found = false
  for at = 6, #ARGV do
    local lane = redis.call('HGET', base .. ARGV[at] .. ':' .. id, 'ln')
    found = found or lane and own[string.sub(lane, string.find(lane, ':', 1, true) + 1)]
  end
  return not found
end
if ARGV[4] ~= '' and isOfOthers() then
  return nil
end

local queue, state, detail, untilMs = findJob(readEntry(KEYS[1], field), base, id, { unpack(ARGV, 6) })
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
local fields = {}

local function put(name, value)
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end

for _, names in ipairs({ SHORT, PROGRESS }) do
  for i, value in ipairs(redis.call('HMGET', jobKey, unpack(names))) do
    if value then
      put(names[i], value)
    end
  end
end
for _, name in ipairs({ 'progress', 'returnvalue' }) do
  local bytes = redis.call('HSTRLEN', jobKey, name)
  if bytes > 0 and bytes <= MOST_BYTES then
    put(name, redis.call('HGET', jobKey, name))
  end
end
local bytes, isWhole = redis.call('HSTRLEN', jobKey, 'data'), ARGV[5] == '1'
if bytes > 0 and (isWhole or bytes <= MOST_BYTES) then
  local data = redis.call('HGET', jobKey, 'data')
  if isWhole or bytes <= SMALL_BYTES then
    put('data', data)
  else
    -- As the producer writes it, the version first.
    local version = string.match(data, '^{"v":(%d+),"p":')
    if version then
      put('data', '{"v":' .. version .. ',"p":null}')
    end
  end
end
return {
  queue,
  state,
  math.floor(redis.now()),
  why,
  nextRunAt,
  redis.call('PTTL', jobKey .. ':lock'),
  fields,
}
