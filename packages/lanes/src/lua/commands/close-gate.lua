--[[
  Closes a gate until a time, such as a remote system's Retry-After. It never opens one earlier:
  of two closings the later one counts.

  KEYS[1] a stand-in for the queue's own key
  ARGV[1] account  [2] group  [3] until, ms of the server's clock or, with [4] '1', ms from now,
  then the key prefix and a time for tests. Reply: until when the gate is closed.
]]
local all = rare()
local until_ms = tonumber(ARGV[3])
if ARGV[4] == '1' then
  until_ms = until_ms + now()
end
local closed_until = all.close_gate(ARGV[2], ARGV[1], until_ms)
all.save_all()
return closed_until
