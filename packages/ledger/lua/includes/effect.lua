--[[
  One hash a job:
    fence     counts claims; raised at each, never reset
    holder    name of the attempt that made the last claim
    e:<name>  effect as JSON { state, fence, firstMs, startedMs, timeoutMs, atMs, inputHash, kept?, externalId? }
                firstMs    when its idempotency key may have been seen outside for the first time
                startedMs  of the latest start
                atMs       of the last change
    r:<name>  result as JSON text, apart from the effect so that it is never decoded here
]]
local function readEffect(key, name)
  local text = redis.call('HGET', key, 'e:' .. name)
  return text and cjson.decode(text) or nil
end

local function writeEffect(key, name, effect)
  redis.call('HSET', key, 'e:' .. name, cjson.encode(effect))
end

local function isFence(key, fence)
  return redis.call('HGET', key, 'fence') == fence
end
