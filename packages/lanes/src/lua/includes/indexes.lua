--[[
  Indexes of jobs by account and state, and by tag, kept by the script that changes the state.

  Waiting and active jobs need none: the lanes and BullMQ's active list are their index.
  Completed ones are a list, newest first: 24 bytes an entry against 112 of a sorted set, and
  what is removed is nearly always the oldest, at its tail.
]]
local function account_of(lane)
  return string.sub(lane, string.find(lane, ':', 1, true) + 1)
end

local function index_delayed(c, lane, id, score)
  call('ZADD', c.own .. ':x:d:' .. account_of(lane), floor(score / 0x1000), id)
end

local function unindex_delayed(c, lane, id)
  call('ZREM', c.own .. ':x:d:' .. account_of(lane), id)
end

local function index_finished(c, state, lane, id, at)
  if state == 'completed' then
    call('LPUSH', c.own .. ':x:c:' .. account_of(lane), id)
  else
    call('ZADD', c.own .. ':x:f:' .. account_of(lane), at, id)
  end
end

local function unindex_finished(c, state, lane, id)
  if state == 'completed' then
    call('LREM', c.own .. ':x:c:' .. account_of(lane), -1, id)
  else
    call('ZREM', c.own .. ':x:f:' .. account_of(lane), id)
  end
end

local function index_tag(c, tag, id)
  call('ZADD', c.own .. ':x:t:' .. tag, floor(now()), id)
end
