--[[
  A queue's counts. KEYS[1] the queue's own key. ARGV: the key prefix and a time for tests.
  Of the lanes that wait for the total of their group 1,000 are counted as held; where no group is open, all.
  Reply: ready, held, active, delayed, failed, completed, '1' when paused, lanes held, cancelled,
  delayed ones that were started before, those of them that their consumer holds.
]]
local all = rare()
load(own)
all.promote(own)
if own.lim then
  all.open_due(own)
end
local waiting = own.n + call('ZCARD', BASE .. 'prioritized')
local groups = choosing().groups_of(own)
local held_lanes = 0
for _, g in ipairs(groups) do
  held_lanes = held_lanes + call('ZCARD', OWN .. ':h:' .. g)
end

-- A lane that only the total of its group keeps is in the ready set. Such lanes are counted here, one by one, so that
-- admission need not.
local MAX_COUNTED_LANES = 1000
local behind_totals, left, every = 0, MAX_COUNTED_LANES, true
for _, g in ipairs(groups) do
  if all.total_closed(g, 1) then
    for _, account in ipairs(left > 0 and call('ZRANGE', OWN .. ':r:' .. g, 0, left - 1) or {}) do
      left = left - 1
      local jobs = all.length(own, g .. ':' .. account)
      behind_totals = behind_totals + jobs
      held_lanes = held_lanes + (jobs > 0 and 1 or 0)
    end
  else
    every = false
  end
end
-- What is counted as eligible is whole, however many lanes there are.
local ready = every and 0 or math.max(own.e - behind_totals, 0)
all.save_others()
save(own)
return {
  ready, waiting - ready, call('LLEN', BASE .. 'active'), call('ZCARD', BASE .. 'delayed'),
  call('ZCARD', BASE .. 'failed'), call('ZCARD', BASE .. 'completed'),
  call('HEXISTS', BASE .. 'meta', 'paused'), held_lanes, call('ZCARD', BASE .. 'cancelled'),
  call('ZCARD', OWN .. ':x:r'), call('ZCOUNT', OWN .. ':x:r', 1, 1),
}
