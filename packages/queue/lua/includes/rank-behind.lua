-- Bytes, as Redis orders members: Lua's `<` follows the locale of the server.
local function isBefore(id, other)
  for at = 1, math.min(#id, #other) do
    local byte, otherByte = string.byte(id, at), string.byte(other, at)
    if byte ~= otherByte then
      return byte < otherByte
    end
  end
  return #id < #other
end

-- Rank of the first one behind the place. Any number may have died in one millisecond, so these are bisected.
local function rankBehind(dead, placeMs, placeId)
  if placeMs == '' then
    return 0
  end
  local low = redis.call('ZCOUNT', dead, '(' .. placeMs, '+inf')
  local high = low + redis.call('ZCOUNT', dead, placeMs, placeMs)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if isBefore(redis.call('ZREVRANGE', dead, middle, middle)[1], placeId) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end
