--[[
  What is known of one account, over all queues, after the work that is due has been done.

  KEYS[1] calendar and pause of the account  [2] stand-in for the own key. ARGV[1] account, then the key prefix and a
  time for tests. Reply: JSON, see `AccountState` in `account-view.ts`.
]]
local MAX_ACTIVE = 1000
local all = rare()
local account = ARGV[1]
local settings = gated().settings_of(account)
local kept = call('HMGET', KEYS[1], 'pw', 'pt', 'cal')
local view = {
  now = floor(now()), weight = settings.w, paused = settings.p and { by = kept[1], at = tonumber(kept[2]) },
  windows = kept[3] or nil, queues = {}, gates = {},
}

local running = {}
for _, c in ipairs(all.all_queues()) do
  load(c)
  all.promote(c)
  if c.lim then
    all.open_due(c)
  end
  local queue = {
    queue = all.queue_of(c), lanes = {}, active = 0,
    delayed = call('ZCARD', c.own .. ':x:d:' .. account),
    completed = call('LLEN', c.own .. ':x:c:' .. account),
    failed = call('ZCARD', c.own .. ':x:f:' .. account),
    cancelled = call('ZCARD', c.own .. ':x:n:' .. account),
    started = call('ZCARD', c.own .. ':x:r:' .. account),
    putOff = call('ZCOUNT', c.own .. ':x:r:' .. account, 1, 1),
    paused = call('HEXISTS', c.base .. 'meta', 'paused') == 1,
  }
  for _, id in ipairs(call('LRANGE', c.base .. 'active', 0, MAX_ACTIVE - 1)) do
    local g, a = gated().split(all.lane_of(c, id))
    if a == account then
      queue.active = queue.active + 1
      running[g] = (running[g] or 0) + 1
    end
  end
  for _, g in ipairs(choosing().groups_of(c)) do
    local lane = g .. ':' .. account
    local plain = call('LLEN', c.own .. ':l:' .. lane)
    local ranked = call('ZCARD', c.own .. ':p:' .. lane)
    if plain + ranked > 0 then
      local oldest = call('LINDEX', c.own .. ':l:' .. lane, -1)
        or call('ZRANGE', c.own .. ':p:' .. lane, 0, 0)[1]
      queue.lanes[#queue.lanes + 1] = {
        group = g, waiting = plain + ranked,
        held = (call('ZSCORE', c.own .. ':h:' .. g, account) or all.total_closed(g, 1)) and true or false,
        since = tonumber(call('HGET', c.base .. oldest, 'timestamp')),
      }
    end
    if not view.gates[g] then
      view.gates[g] = { group = g }
    end
  end
  local failed = call('ZRANGE', c.own .. ':x:f:' .. account, -1, -1)[1]
  if failed then
    queue.lastFailed = call('HMGET', c.base .. failed, 'failedReason', 'finishedOn', 'name')
    queue.lastFailedId = failed
  end
  local completed = call('LINDEX', c.own .. ':x:c:' .. account, 0)
  if completed then
    queue.lastCompletedAt = call('HGET', c.base .. completed, 'finishedOn')
  end
  local due = call('ZRANGE', c.own .. ':x:d:' .. account, 0, 0, 'WITHSCORES')[2]
  queue.nextDelayedAt = due and tonumber(due) or nil
  view.queues[#view.queues + 1] = queue
end

-- Gates that have limits or claims but no lane just now are shown too.
for _, g in ipairs(all.known_groups()) do
  if not view.gates[g] and gated().is_recorded(g, account) then
    view.gates[g] = { group = g }
  end
end
for g, shown in pairs(view.gates) do
  local gate = all.gate_anywhere(g, account)
  shown.intervalMs, shown.depthMs, shown.maxInFlight = gate.i, gate.d, gate.m
  shown.inFlight = running[g] or 0
  if gate.i then
    local opens = gated().bucket_opens_at(gate, 0, now())
    shown.tokens = math.max(0, -(opens - now()) / gate.i)
  end
  local at, why = all.lane_closed(gate, 1)
  if why then
    shown.reason = why
    if at < huge then
      shown.opensAt = math.ceil(at)
    end
  end
end
all.save_others()
return cjson.encode(view)
