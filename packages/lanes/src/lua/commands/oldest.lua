--[[
  The lanes of one queue whose oldest waiting job waits longest. The index holds a lower bound,
  so that admission need not touch it; reading mends the entries it meets.

  KEYS[1] the queue's own key. ARGV[1] how many  [2] how many entries may be mended, then the key
  prefix and a time for tests.
  Reply: lanes in order as a flat array: lane, since (ms), waiting, '1' when held.
]]
local all = rare()
local want, most = tonumber(ARGV[1]), tonumber(ARGV[2])
load(own)
all.promote(own)
if own.lim then
  all.open_due(own)
end
local index = OWN .. ':s'

local function oldest_of(lane)
  local id = call('LINDEX', OWN .. ':l:' .. lane, -1) or call('ZRANGE', OWN .. ':p:' .. lane, 0, 0)[1]
  if id then
    local job = call('HMGET', BASE .. id, 'timestamp', 'delay')
    return (tonumber(job[1]) or 0) + (tonumber(job[2]) or 0)
  end
end

for _ = 1, most do
  local entries = call('ZRANGE', index, 0, want - 1, 'WITHSCORES')
  local exact = true
  for i = 1, #entries, 2 do
    local since = oldest_of(entries[i])
    if not since then
      -- Empty. An account still remembered in ready may get a job at any time from now on.
      local g, a = gated().split(entries[i])
      if call('ZSCORE', OWN .. ':r:' .. g, a) or call('ZSCORE', OWN .. ':h:' .. g, a) then
        since = floor(now())
      else
        call('ZREM', index, entries[i])
        exact = false
      end
    end
    if since and since > tonumber(entries[i + 1]) then
      call('ZADD', index, since, entries[i])
      exact = false
    end
  end
  if exact then
    break
  end
end
local reply = {}
for _, lane in ipairs(call('ZRANGE', index, 0, want - 1)) do
  local waiting = all.length(own, lane)
  if waiting > 0 then
    local g, a = gated().split(lane)
    reply[#reply + 1] = lane
    reply[#reply + 1] = string.format('%d', oldest_of(lane))
    reply[#reply + 1] = waiting
    reply[#reply + 1] = call('ZSCORE', OWN .. ':h:' .. g, a) and '1' or '0'
  end
end
all.save_others()
save(own)
return reply
