--[[ Milliseconds since the epoch on the server's clock, the only one that all processes share. ]]
local function serverTimeMs()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
