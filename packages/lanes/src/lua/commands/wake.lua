--[[
  The time has come that processes were told of: wakes one worker, however many of them there are.

  KEYS[1] the queue's own key. ARGV[1] that time, then the key prefix and a time for tests.
  Reply: when something becomes due next, for the one that came first (0 = never, or another one was first), and the time
  on the server's clock.
]]
local due, t = tonumber(ARGV[1]), now()
load(own)
if t < due then
  -- By the caller's clock it was late enough.
  return { due, floor(t) }
elseif own.w >= due and own.w <= t then
  return { 0, floor(t) }
end
own.w, own.dirty = t, own.g ~= nil
call('ZADD', own.base .. 'marker', '0', '0')
local next = idle().next_due(own, t)
save(own)
return { next and math.ceil(next) or 0, floor(t) }
