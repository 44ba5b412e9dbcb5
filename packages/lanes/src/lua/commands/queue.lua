--[[
  A queue's counts. KEYS[1] the queue's own key. ARGV: the key prefix and a time for tests.
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
local held_lanes = 0
for _, g in ipairs(choosing().groups_of(own)) do
  held_lanes = held_lanes + call('ZCARD', OWN .. ':h:' .. g)
end
all.save_others()
save(own)
return {
  own.e, waiting - own.e, call('LLEN', BASE .. 'active'), call('ZCARD', BASE .. 'delayed'),
  call('ZCARD', BASE .. 'failed'), call('ZCARD', BASE .. 'completed'),
  call('HEXISTS', BASE .. 'meta', 'paused'), held_lanes, call('ZCARD', BASE .. 'cancelled'),
  call('ZCARD', OWN .. ':x:r'), call('ZCOUNT', OWN .. ':x:r', 1, 1),
}
