--[[
  What a script around BullMQ's may ask of the lanes (`redis.lanes()`), for any queue by its key prefix.
]]

-- Of a gate and the total of its group, when the one that opens last does so for a job of this cost, and its reason; nil
-- when both are open.
local function lane_closed(gate, cost)
  local at, why = closed(gate, cost)
  local total_at, total_why = total_closed(gate.g, cost)
  if total_at and (not at or total_at > at) then
    return total_at, total_why
  end
  return at, why
end

-- Why a waiting job does not run now, and until when where that can be known; nil when it could run.
local function held(base, id)
  local c = load(context(base))
  if call('HEXISTS', base .. 'meta', 'paused') == 1 then
    return 'queue_paused'
  elseif not c.lim then
    return nil
  end
  local g, a = split(lane_of(c, id))
  local at, why = lane_closed(gate_of(c, g, a), tonumber(call('HGET', base .. id, 'lc')) or 1)
  return why, at and at < huge and math.ceil(at) or nil
end

-- Takes away all that is left of a job. Where its hash is gone nobody knows its lane: then it is looked for in the
-- account's lanes of every group.
local function erase(base, id, account)
  local c = load(context(base))
  local key = base .. id
  local lane = call('HGET', key, 'ln')
  local lanes = { lane or nil }
  if not lane then
    for _, g in ipairs(groups_of(c)) do
      lanes[#lanes + 1] = g .. ':' .. account
    end
  end
  for _, each in ipairs(lanes) do
    lane_of_key[key] = each
    redirect('LREM', base .. 'wait', 0, id)
    redirect('ZREM', base .. 'prioritized', id)
    redirect('ZREM', base .. 'delayed', id)
  end
  redirect('ZREM', base .. 'completed', id)
  redirect('ZREM', base .. 'failed', id)
  redirect('ZREM', base .. 'cancelled', id)
  call('LREM', base .. 'active', 0, id)
  call('SREM', base .. 'stalled', id)
  redirect('DEL', key, key .. ':logs', key .. ':lock')
end
