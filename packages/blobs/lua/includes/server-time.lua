--[[ Milliseconds on the server's clock, the only one that all holders share; `given` replaces it in tests. ]]
local function serverTimeMs(given)
  if given ~= '' then
    return tonumber(given)
  end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
