--[[
  Gives a queue back to plain BullMQ, a batch a call: jobs leave their lanes for BullMQ's wait
  list (prioritized ones are in its set already), and at the end the lanes' keys are deleted.
  The queue must be paused and have no active jobs, so that no claim is left.

  KEYS[1] the queue's own key. ARGV[1] batch, then the key prefix and a time for tests.
  Reply: jobs left to move (0 = done), or -1 not paused, -2 jobs are active.
]]
local all = rare()
if call('HEXISTS', BASE .. 'meta', 'paused') == 0 then
  return -1
end
if call('LLEN', BASE .. 'active') > 0 then
  return -2
end
load(own)
local left = tonumber(ARGV[1])
all.each_lane(own, function(lane)
  while left > 0 do
    local id = call('RPOP', OWN .. ':l:' .. lane)
    if not id then
      break
    end
    call('LPUSH', BASE .. 'wait', id)
    own.n = own.n - 1
    left = left - 1
  end
  return left == 0
end)
own.dirty = true
if own.n > 0 and left == 0 then
  save(own)
  return own.n
end
local lanes = {}
all.each_lane(own, function(lane)
  lanes[#lanes + 1] = lane
end)
for _, lane in ipairs(lanes) do
  call('DEL', OWN .. ':p:' .. lane)
end
all.queue_deleted(own)
call('DEL', OWN .. ':k', OWN .. ':o', OWN .. ':w')
return 0
