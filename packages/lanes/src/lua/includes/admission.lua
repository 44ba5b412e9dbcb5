--[[
  Admission: which job runs next. Takes the place of BullMQ's RPOPLPUSH from wait to active,
  so BullMQ has already checked lock, pause, concurrency and its own limiter.

  Start-time fair queueing over accounts: serve the smallest tag among the groups that are
  open; serving moves the account's tag by cost / weight. With all of an account's tags equal,
  its open lanes take turns by group.
]]
local MAX_VISITS = 64
local MAX_ABSORBED = 100
local MAX_FORGOTTEN = 100

-- Jobs in BullMQ's own wait list come from plain producers, from before the queue had lanes,
-- or from a pause list; they join their lanes here, oldest first.
local function absorb(c)
  for i = 1, MAX_ABSORBED do
    local id = call('LINDEX', c.base .. 'wait', -1)
    if not id then
      return
    end
    if string.sub(id, 1, 2) ~= '0:' and call('EXISTS', c.base .. id) == 1 then
      push(c, lane_of(c, id), 'LPUSH', id)
    end
    call('RPOP', c.base .. 'wait')
  end
  c.again = true
end

-- An idle queue has caught up with every tag: the empty lanes left in ready can go.
local function forget_empty(c)
  for _, g in ipairs(c.groups) do
    local popped = call('ZPOPMIN', c.own .. ':r:' .. g, MAX_FORGOTTEN)
    for i = 1, #popped, 2 do
      call('ZREM', c.own .. ':s', g .. ':' .. popped[i])
      call('HDEL', c.own .. ':t', popped[i])
      local tag = tonumber(popped[i + 1])
      if tag > c.v then
        c.v = tag
        c.dirty = true
      end
    end
  end
end

local function total_is_closed(c, g)
  if c.lim >= 4 then
    local at = total_closed(g)
    if at then
      if at < huge then
        if not c.total_opens or at < c.total_opens then
          c.total_opens = at
        end
      else
        c.total_full = true
        call('SADD', prefix() .. '::w:' .. g, string.match(c.base, '([^:]*):$'))
      end
      return true
    end
  end
end

-- The account's open groups, and the one whose turn it is.
local function take_turn(c, a, g)
  local open, mine = {}, {}
  for _, other in ipairs(c.groups) do
    if other == g or call('ZSCORE', c.own .. ':r:' .. other, a) then
      mine[#mine + 1] = other
      if other == g or not (c.lim and total_is_closed(c, other)) then
        open[#open + 1] = other
      end
    end
  end
  if #open > 1 then
    local last = call('HGET', c.own .. ':t', a)
    local turn = open[1]
    for i = 1, #open - 1 do
      if open[i] == last then
        turn = open[i + 1]
      end
    end
    g = turn
    call('HSET', c.own .. ':t', a, g)
  end
  return g, mine
end

local function choose(c)
  local g, a, tag
  for _, candidate in ipairs(c.groups) do
    if not (c.lim and total_is_closed(c, candidate)) then
      local head = call('ZRANGE', c.own .. ':r:' .. candidate, 0, 0, 'WITHSCORES')
      if head[1] then
        local score = tonumber(head[2])
        if not tag or score < tag then
          g, a, tag = candidate, head[1], score
        end
      end
    end
  end
  return g, a, tag
end

local function pop(c, lane)
  local id = call('RPOP', c.own .. ':l:' .. lane)
  if id then
    c.n = c.n - 1
    return id
  end
  local lowest = call('ZPOPMIN', c.own .. ':p:' .. lane)
  if lowest[1] then
    call('ZREM', c.base .. 'prioritized', lowest[1])
    return lowest[1], lowest[2]
  end
end

local function unpop(c, lane, id, score)
  if score then
    call('ZADD', c.base .. 'prioritized', score, id)
    call('ZADD', c.own .. ':p:' .. lane, score, id)
  else
    call('RPUSH', c.own .. ':l:' .. lane, id)
    c.n = c.n + 1
  end
end

local function admit(c)
  load(c)
  if c.e <= 0 then
    if call('EXISTS', c.base .. 'wait') == 1 then
      absorb(c)
    elseif c.n == 0 then
      forget_empty(c)
    end
  end
  if c.e <= 0 then
    return false
  end
  for _ = 1, MAX_VISITS do
    local g, a, tag = choose(c)
    if not g then
      if not c.total_opens and not c.total_full then
        -- Nothing is ready in any group, so nothing can be eligible: a drifted count ends here.
        c.e = 0
        c.dirty = true
      end
      return false
    end
    local mine
    if #c.groups > 1 then
      g, mine = take_turn(c, a, g)
    end
    local lane = g .. ':' .. a
    local gate = c.lim and gate_of(c, g, a)
    local at, why
    if gate then
      at, why = closed(gate, 1)
    end
    if at then
      hold(c, g, a, tag, at, why)
    else
      local id, score = pop(c, lane)
      if not id then
        -- Emptied earlier; virtual time has come to its tag.
        call('ZREM', c.own .. ':r:' .. g, a)
        call('ZREM', c.own .. ':s', lane)
        if tag > c.v then
          c.v = tag
        end
        c.dirty = true
      else
        local job = call('HMGET', c.base .. id, 'name', 'lc', 'defa')
        c.dirty = true
        if not job[1] then
          -- Its hash was deleted behind our back: nothing to run.
          c.e = c.e - 1
        else
          local cost = tonumber(job[2]) or 1
          if gate and cost > 1 and not job[3] then
            at, why = closed(gate, cost)
          end
          if at then
            unpop(c, lane, id, score)
            hold(c, g, a, tag, at, why)
          else
            local start = tag
            if start < c.v then
              start = c.v
            end
            local finish = start + cost / (gate and gate.w or 1)
            c.v = start
            c.e = c.e - 1
            call('LPUSH', c.base .. 'active', id)
            call('ZADD', c.own .. ':r:' .. g, finish, a)
            if mine then
              for _, other in ipairs(mine) do
                if other ~= g then
                  call('ZADD', c.own .. ':r:' .. other, finish, a)
                end
              end
            end
            if gate then
              -- A job that has stalled too often fails unrun: it spends nothing.
              if not job[3] then
                charge(c, gate, cost, id)
              end
              at, why = closed(gate, 1)
              if at then
                hold(c, g, a, finish, at, why)
              end
            end
            return id
          end
        end
      end
    end
  end
  c.again = true
  return false
end
