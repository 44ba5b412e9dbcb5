--[[
  Removes finished jobs that are past their retention, oldest first, with their index entries.
  BullMQ's own retention would do the same to other jobs without telling anybody.

  KEYS[1] the queue's own key.
  ARGV[1] completed or failed  [2] keep those finished at or after this time (ms)
  [3] keep at most this many ('' = any)  [4] at most this many a call, then the key prefix and a
  time for tests. Reply: the ids removed.
]]
local all = rare()
local finished = BASE .. ARGV[1]
local most = tonumber(ARGV[4])
local ids = call('ZRANGEBYSCORE', finished, '-inf', '(' .. ARGV[2], 'LIMIT', 0, most)
if #ids < most and ARGV[3] ~= '' then
  local excess = call('ZCARD', finished) - tonumber(ARGV[3])
  if excess > #ids then
    ids = call('ZRANGE', finished, 0, math.min(excess, most) - 1)
  end
end
for _, id in ipairs(ids) do
  local key = BASE .. id
  all.redirect('DEL', key, key .. ':logs', key .. ':dependencies', key .. ':processed', key .. ':failed',
    key .. ':unsuccessful')
end
if #ids > 0 then
  call('ZREM', finished, unpack(ids))
end
return ids
