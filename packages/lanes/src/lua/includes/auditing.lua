--[[
  The audit compares what is kept with what is, in bounded batches, and repairs both ways.
]]
local MAX_COUNTED_LANES = 5000

-- A claim whose job neither runs nor holds a lock ends `patience` after that was first seen.
local function audit_claims(c, cursor, batch, patience)
  local claims, orphans = c.own .. ':k', c.own .. ':o'
  local page = call('HSCAN', claims, cursor, 'COUNT', batch)
  local freed = 0
  for i = 1, #page[2], 2 do
    local id = page[2][i]
    if call('EXISTS', c.base .. id .. ':lock') == 1 or call('LPOS', c.base .. 'active', id) then
      call('ZREM', orphans, id)
    else
      call('ZADD', orphans, 'NX', floor(now()), id)
      if now() - tonumber(call('ZSCORE', orphans, id)) >= patience then
        freed = freed + gated.release(c, id)
        call('ZREM', orphans, id)
      end
    end
  end
  return page[1], freed
end

-- A running job that a gate counts has a claim.
local function audit_active(c, from, batch)
  local ids = call('LRANGE', c.base .. 'active', from, from + batch - 1)
  local added = 0
  for _, id in ipairs(ids) do
    local lane = lane_of(c, id)
    local g, a = split(lane)
    local gate = gate_of(c, g, a)
    if gate.m and call('HEXISTS', c.own .. ':k', id) == 0 then
      call('HSET', c.own .. ':k', id, gated.claim_record(gated.new_fence(0), '1', lane))
      gated.count_claim(g, a, 1)
      added = added + 1
    end
  end
  return #ids == batch and from + batch or 0, added
end

-- Records of a gate over all queues: what its count of claims must be.
local function count_claims(g, a)
  local count = 0
  for _, c in ipairs(all_queues()) do
    for _, record in ipairs(call('HVALS', c.own .. ':k')) do
      local _, kinds, lane = gated.read_claim(record)
      if lane == g .. ':' .. a and kinds ~= '2' then
        count = count + 1
      end
    end
  end
  return count
end

-- Every held lane is looked at now and then, whatever was to open it.
local function audit_held(c, g, from, batch)
  -- By rank: a scan of a small set would give all of it at once.
  local page = call('ZRANGE', c.own .. ':h:' .. g, from, from + batch - 1)
  local opened, corrected = 0, 0
  for _, a in ipairs(page) do
    local gate = gate_of(c, g, a)
    if gate.m and gate.n >= gate.m then
      local count = count_claims(g, a)
      if count ~= gate.n then
        gated.count_claim(g, a, count - gate.n)
        corrected = corrected + 1
      end
    end
    if reconsider(c, g, a) then
      opened = opened + 1
    end
  end
  -- Those that have opened are no longer before the others.
  return #page == batch and from + batch - opened or 0, opened, corrected
end

-- The counters n and e, when the lanes are few enough to be counted at once; with more of them
-- only a count that would block the queue is mended.
local function audit_counts(c)
  local n, e, lanes = 0, 0, 0
  for _, g in ipairs(groups_of(c)) do
    lanes = lanes + call('ZCARD', c.own .. ':r:' .. g) + call('ZCARD', c.own .. ':h:' .. g)
  end
  local whole = lanes < MAX_COUNTED_LANES
  if not whole and c.e > 0 then
    return 0
  end
  for _, g in ipairs(groups_of(c)) do
    for _, kind in ipairs({ ':r:', ':h:' }) do
      for _, a in ipairs(call('ZRANGE', c.own .. kind .. g, 0, MAX_COUNTED_LANES)) do
        local lane = g .. ':' .. a
        local plain = call('LLEN', c.own .. ':l:' .. lane)
        n = n + plain
        if kind == ':r:' then
          e = e + plain + call('ZCARD', c.own .. ':p:' .. lane)
        end
      end
    end
  end
  if (whole and (n ~= c.n or e ~= c.e)) or (c.e <= 0 and e > 0) then
    if whole then
      c.n = n
    end
    c.e = e
    c.dirty, c.wake = true, true
    return 1
  end
  return 0
end
