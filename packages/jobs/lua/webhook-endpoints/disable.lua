--[[
  Disables an endpoint, unless it is disabled already or has another URL by now: the answer that led to it came from
  the old one.

  KEYS
    1  endpoints by id, as JSON
  ARGV
    1  id
    2  url
    3  disabled  JSON

  Reply  1 when it was disabled, else 0
]]
local text = redis.call('HGET', KEYS[1], ARGV[1])
local endpoint = text and cjson.decode(text)
if not endpoint or endpoint.url ~= ARGV[2] or endpoint.disabled then
  return 0
end
endpoint.disabled = cjson.decode(ARGV[3])
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(endpoint))
return 1
