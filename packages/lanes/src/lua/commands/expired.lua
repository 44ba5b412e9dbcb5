--[[
  Finished jobs that are past their retention, oldest first. They stay until `trim` is called, so that
  whoever has to know of them can be told before they are gone.

  KEYS[1] the queue's own key.
  ARGV[1] completed, failed or cancelled  [2] those finished at or after this time (ms) are kept
  [3] at most this many are kept ('' = any)  [4] at most this many a call, then the key prefix and a
  time for tests. Reply: their ids.
]]
local finished = BASE .. ARGV[1]
local most = tonumber(ARGV[4])
local ids = call('ZRANGEBYSCORE', finished, '-inf', '(' .. ARGV[2], 'LIMIT', 0, most)
if #ids < most and ARGV[3] ~= '' then
  local excess = call('ZCARD', finished) - tonumber(ARGV[3])
  if excess > #ids then
    ids = call('ZRANGE', finished, 0, math.min(excess, most) - 1)
  end
end
return ids
