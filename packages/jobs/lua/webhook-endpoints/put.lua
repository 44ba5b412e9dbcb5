--[[
  Stores an endpoint, or changes it. A URL belongs to one endpoint of an account, and an endpoint to one account.

  KEYS
    1  endpoints by id, as JSON
    2  ids of the account's endpoints by URL
  ARGV
    1  id
    2  endpoint  JSON with accountId and url
    3  account
    4  url
    5  most endpoints of an account

  Reply  'stored', 'other_account', 'url_taken' or 'too_many'
]]
local id, account, url = ARGV[1], ARGV[3], ARGV[4]
local text = redis.call('HGET', KEYS[1], id)
local before = text and cjson.decode(text)
if before and before.accountId ~= account then
  return 'other_account'
end
local owner = redis.call('HGET', KEYS[2], url)
if owner and owner ~= id then
  return 'url_taken'
end
if not before and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[5]) then
  return 'too_many'
end

redis.call('HSET', KEYS[1], id, ARGV[2])
redis.call('HSET', KEYS[2], url, id)
if before and before.url ~= url then
  redis.call('HDEL', KEYS[2], before.url)
end
return 'stored'
