--[[
  Admission: which job runs next. Takes the place of BullMQ's RPOPLPUSH from wait to active,
  so BullMQ has already checked lock, pause, concurrency and its own limiter.

  Start-time fair queueing over accounts: serve the smallest tag among the groups that are
  open; serving moves the account's tag by cost / weight. With all of an account's tags equal,
  its open lanes take turns by group.
]]
local MAX_VISITS = 64
local gate_of, closed, charge = gated.gate_of, gated.closed, gated.charge

-- A worker without lanes serves this queue too: nothing is admitted beside it.
local function is_refused(c)
  return c.lim and c.lim >= 8
end

local function groups_of(c)
  if not c.groups then
    c.groups = {}
    if c.g then
      for g in string.gmatch(c.g, '[^,]+') do
        c.groups[#c.groups + 1] = g
      end
    end
  end
  return c.groups
end

local function choose(c)
  local g, a, tag
  if is_refused(c) then
    return
  end
  local groups = groups_of(c)
  for i = 1, #groups do
    local candidate = groups[i]
    if not c.lim or c.lim < 4 or not rare().total_is_closed(c, candidate) then
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

local function hold(c, g, a, tag, at, why)
  local lane = g .. ':' .. a
  call('ZADD', c.own .. ':h:' .. g, tag, a)
  call('ZREM', c.own .. ':r:' .. g, a)
  c.e = c.e - call('LLEN', c.own .. ':l:' .. lane) - call('ZCARD', c.own .. ':p:' .. lane)
  c.dirty = true
  if at < huge then
    call('ZADD', c.own .. ':c', at, lane)
    if not c.next or at < c.next then
      c.next = at
    end
  elseif why == 'in_flight' then
    gated.await_claim(c, lane)
  end
end

-- What the next job of a lane costs; one that fails unrun spends nothing and needs the least.
local function next_cost(c, lane)
  if not c.x then
    return 1
  end
  local id = call('LINDEX', c.own .. ':l:' .. lane, -1) or call('ZRANGE', c.own .. ':p:' .. lane, 0, 0)[1]
  if not id then
    return 1
  end
  local job = call('HMGET', c.base .. id, 'lc', 'defa')
  return not job[2] and tonumber(job[1]) or 1
end

-- The next job of a lane becomes active.
local function pop(c, lane)
  local id = call('RPOPLPUSH', c.own .. ':l:' .. lane, c.base .. 'active')
  if id then
    c.n = c.n - 1
    return id
  end
  local lowest = call('ZPOPMIN', c.own .. ':p:' .. lane)
  if lowest[1] then
    call('ZREM', c.base .. 'prioritized', lowest[1])
    call('LPUSH', c.base .. 'active', lowest[1])
    return lowest[1]
  end
end

-- Moves the account's tag in the groups it is ready in.
local function charge_tag(c, g, a, tag, cost, weight, mine)
  local start = tag
  if start < c.v then
    start = c.v
  end
  local finish = start + cost * JOB / weight
  local text = tag_text(finish)
  c.v = start
  c.dirty = true
  call('ZADD', c.own .. ':r:' .. g, text, a)
  if mine then
    for i = 1, #mine do
      call('ZADD', c.own .. ':r:' .. mine[i], text, a)
    end
  end
  return finish
end

local function admit(c)
  load(c)
  if is_refused(c) then
    return false
  end
  -- Groups whose total has too few tokens for the job whose turn it is.
  c.short = nil
  if c.e <= 0 then
    idle().tidy(c)
    if c.e <= 0 then
      return false
    end
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
    if c.many then
      g, mine = rare().take_turn(c, a, g)
    end
    local lane = g .. ':' .. a
    local gate = c.lim and gate_of(c, g, a)
    local at, why
    local cost = gate and next_cost(c, lane)
    if gate then
      at, why = closed(gate, cost)
    end
    if at then
      hold(c, g, a, tag, at, why)
    elseif not gate or cost == 1 or c.lim < 4 or not rare().total_is_closed(c, g, cost) then
      local id = pop(c, lane)
      c.dirty = true
      if not id then
        -- Emptied earlier; virtual time has come to its tag.
        call('ZREM', c.own .. ':r:' .. g, a)
        call('ZREM', c.own .. ':s', lane)
        if c.many then
          call('HDEL', c.own .. ':t', a)
        end
        if tag > c.v then
          c.v = tag
          c.dirty = true
        end
      else
        local unrun = false
        cost = 1
        if c.x then
          local job = call('HMGET', c.base .. id, 'lc', 'defa')
          cost, unrun = tonumber(job[1]) or 1, job[2]
        end
        local finish = charge_tag(c, g, a, tag, cost, gate and gate.s.w or 1, mine)
        c.e = c.e - 1
        if gate then
          -- A job that has stalled too often fails unrun: it spends nothing.
          if not unrun then
            charge(c, gate, cost, id, finish)
          end
          at, why = closed(gate, next_cost(c, lane))
          if at then
            hold(c, g, a, finish, at, why)
          end
        end
        return id
      end
    end
  end
  c.again = true
  return false
end
