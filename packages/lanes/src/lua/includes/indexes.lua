--[[
  Indexes of jobs by account and state, and by tag, kept by the script that changes the state.

  Waiting and active jobs need none: the lanes and BullMQ's active list are their index.
  Completed ones are a list, newest first: 24 bytes an entry against 112 of a sorted set, and
  what is removed is nearly always the oldest, at its tail.
]]
local function account_of(lane)
  return string.sub(lane, string.find(lane, ':', 1, true) + 1)
end

-- A delayed job that was started before is back from an attempt: 0 to be retried, 1 held by its consumer, which has
-- then written the reason to the field `hr`.
local function index_delayed(c, lane, id, score)
  local account = account_of(lane)
  call('ZADD', c.own .. ':x:d:' .. account, floor(score / 0x1000), id)
  local job = call('HMGET', c.base .. id, 'ats', 'hr')
  if job[1] then
    local kind = job[2] and job[2] ~= '' and 1 or 0
    call('ZADD', c.own .. ':x:r', kind, id)
    call('ZADD', c.own .. ':x:r:' .. account, kind, id)
  end
end

local function unindex_delayed(c, lane, id, started)
  local account = account_of(lane)
  call('ZREM', c.own .. ':x:d:' .. account, id)
  if started then
    call('ZREM', c.own .. ':x:r', id)
    call('ZREM', c.own .. ':x:r:' .. account, id)
  end
end

local ENDED = { failed = ':x:f:', cancelled = ':x:n:' }

local function index_finished(c, state, lane, id, at)
  if state == 'completed' then
    call('LPUSH', c.own .. ':x:c:' .. account_of(lane), id)
  else
    call('ZADD', c.own .. ENDED[state] .. account_of(lane), at, id)
  end
end

local function unindex_finished(c, state, lane, id)
  if state == 'completed' then
    call('LREM', c.own .. ':x:c:' .. account_of(lane), -1, id)
  else
    call('ZREM', c.own .. ENDED[state] .. account_of(lane), id)
  end
end

local function index_tag(c, tag, id)
  call('ZADD', c.own .. ':x:t:' .. tag, floor(now()), id)
end
