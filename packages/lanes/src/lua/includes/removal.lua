--[[
  A job's hash is deleted: its index entries go with it. Its lane is remembered for the call,
  because `drain`, `obliterate`, `cleanJobsInSet` and `addJobScheduler` delete the hash first
  and take the id out of its list or set afterwards.
]]
local deleted, unindexed = {}, {}

local function context_of_key(key)
  if string.sub(key, 1, #BASE) == BASE then
    return own, string.sub(key, #BASE + 1)
  end
  local stem = PREFIX .. ':'
  if string.sub(key, 1, #stem) ~= stem then
    return nil
  end
  local queue, rest = string.match(string.sub(key, #stem + 1), '^([^:]+):(.+)$')
  if not queue then
    return nil
  end
  local c = context_of_queue(queue)
  if c.lanes == nil then
    c.lanes = call('HEXISTS', c.base .. 'meta', 'lane:g') == 1
  end
  return c, rest
end

local function job_deleted(key)
  local c, id = context_of_key(key)
  if not c or c.lanes == false then
    return
  end
  local job = call('HMGET', key, 'ln', 'tg', 'finishedOn')
  local lane = job[1] or lane_of_key[key] or SHARED
  lane_of_key[key] = lane
  deleted[key] = true
  if job[3] and not unindexed[key] then
    -- Its fields do not tell which end it took: one that completed after a retry has a `failedReason` too.
    for _, state in ipairs({ 'completed', 'failed', 'cancelled' }) do
      if call('ZSCORE', c.base .. state, id) then
        unindex_finished(c, state, lane, id)
      end
    end
  end
  if job[2] then
    call('ZREM', c.own .. ':x:t:' .. job[2], id)
  end
end

-- BullMQ obliterates a queue: what is ours goes too, but for claims whose handlers may run.
local function queue_deleted(c)
  load(c)
  local keys = { c.own .. ':c', c.own .. ':s', c.own .. ':t' }
  for _, g in ipairs(groups_of(c)) do
    keys[#keys + 1] = c.own .. ':r:' .. g
    keys[#keys + 1] = c.own .. ':h:' .. g
  end
  call('DEL', unpack(keys))
  if call('EXISTS', c.own .. ':k') == 0 then
    call('SREM', PREFIX .. '::queues', queue_of(c))
  end
  call('HDEL', c.base .. 'meta', 'lane:s', 'lane:g')
  c.dirty, c.wake, c.again = false, false, false
end

-- The hash of the job that was handed out had been deleted behind our back, and BullMQ has made a
-- ghost of it: nothing to run. The worker is told that there is no job, and to ask again.
local function drop_ghost(c, id)
  local key = c.base .. id
  call('DEL', key, key .. ':lock')
  call('LREM', c.base .. 'active', 1, id)
  gated.release(c, id)
  c.again = true
  return { 0, 0, 0, 0 }
end
