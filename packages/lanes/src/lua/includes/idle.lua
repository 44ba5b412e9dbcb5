--[[
  A queue in which nothing may run now. Workers without work ask for it again and again, and `rare` takes ten times as
  long to be built.
]]
local MAX_FORGOTTEN = 100

-- An idle queue has caught up with every tag: the empty lanes left in ready can go, some with each call.
local function forget_empty(c)
  if c.forgot then
    return
  end
  c.forgot = true
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

-- The lowest score of a sorted set, of those above `t` where it is given.
local function lowest(key, t)
  local found
  if t then
    found = call('ZRANGEBYSCORE', key, string.format('(%.4f', t), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  else
    found = call('ZRANGE', key, 0, 0, 'WITHSCORES')
  end
  return tonumber(found[2]) or math.huge
end

-- When there will be something to do next, on the server's clock; nil for never. `t`: what is due by then is left out.
local function next_due(c, t)
  local delayed = c.delayed or lowest(c.base .. 'delayed', t and (math.floor(t) + 1) * 0x1000 - 1)
  local due = math.min(c.next or math.huge, delayed / 0x1000)
  if c.lim then
    due = math.min(due, c.opens or lowest(c.own .. ':c', t), c.total_opens or math.huge)
  end
  return due < math.huge and due or nil
end
