--[[
  Removes an endpoint.

  KEYS
    1  endpoints by id, as JSON
    2  ids of its account's endpoints by URL
  ARGV
    1  id

  Reply  1 when there was one, else 0
]]
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then
  return 0
end
local url = cjson.decode(text).url
if redis.call('HGET', KEYS[2], url) == ARGV[1] then
  redis.call('HDEL', KEYS[2], url)
end
redis.call('HDEL', KEYS[1], ARGV[1])
return 1
