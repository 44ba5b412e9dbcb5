--[[
  A queue in which nothing may run now. Workers without work ask for it again and again, and `rare` takes ten times as
  long to be built.
]]
local MAX_FORGOTTEN = 100

-- An idle queue has caught up with every tag: the empty lanes left in ready can go.
local function forget_empty(c)
  for g in string.gmatch(c.g or '', '[^,]+') do
    local popped = call('ZPOPMIN', c.own .. ':r:' .. g, MAX_FORGOTTEN)
    local accounts, lanes = {}, {}
    for i = 1, #popped, 2 do
      accounts[#accounts + 1], lanes[#lanes + 1] = popped[i], g .. ':' .. popped[i]
    end
    if lanes[1] then
      call('ZREM', c.own .. ':s', unpack(lanes))
      if c.many then
        call('HDEL', c.own .. ':t', unpack(accounts))
      end
      -- The last one popped has the largest tag.
      local tag = tonumber(popped[#popped])
      if tag > c.v then
        c.v = tag
        c.dirty = true
      end
    end
  end
end

-- What was left of jobs that have run goes; jobs that a plain producer has added enter their lanes.
local function tidy(c)
  if call('EXISTS', c.base .. 'wait') == 1 then
    rare().absorb(c)
  elseif c.n == 0 and call('EXISTS', c.base .. 'prioritized') == 0 then
    forget_empty(c)
  end
end

-- When there will be something to do next, on the server's clock; nil for never.
local function next_due(c)
  local due = c.next
  local delayed = call('ZRANGE', c.base .. 'delayed', 0, 0, 'WITHSCORES')[2]
  if delayed then
    delayed = tonumber(delayed) / 0x1000
    if not due or delayed < due then
      due = delayed
    end
  end
  if c.lim then
    local opens = tonumber(call('ZRANGE', c.own .. ':c', 0, 0, 'WITHSCORES')[2])
    if opens and (not due or opens < due) then
      due = opens
    end
    if c.total_opens and (not due or c.total_opens < due) then
      due = c.total_opens
    end
  end
  return due
end
