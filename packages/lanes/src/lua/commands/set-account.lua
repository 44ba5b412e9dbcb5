--[[
  Sets an account's weight or windows, effective at once in every queue.

  KEYS[1] calendar and pause of the account  [2] windows of the account  [3] calendars  [4] stand-in for the own key
  ARGV[1] account  [2] weight ('' = as it is)  [3] windows: '' = as they are, 'null' = none, or
  JSON [[open, close], ...] ahead  [4] their calendar as JSON  [5] when to compute them anew,
  then the key prefix and a time for tests. Reply: weight and calendar before.
]]
local all = rare()
local account, key = ARGV[1], KEYS[1]
local calendar = call('HGET', key, 'cal')
local before = gated().settings_of(account)
local after = { w = before.w, p = before.p, wo = before.wo, wc = before.wc }
local MAX_A_CALL = 1000

if ARGV[2] ~= '' then
  after.w = tonumber(ARGV[2])
end
if ARGV[3] == 'null' then
  after.wo, after.wc = nil, nil
  call('HDEL', key, 'cal')
  call('DEL', KEYS[2])
  call('ZREM', KEYS[3], account)
elseif ARGV[3] ~= '' then
  local windows = cjson.decode(ARGV[3])
  call('DEL', KEYS[2])
  local first
  for i = 1, math.min(#windows, MAX_A_CALL) do
    local open, close = windows[i][1], windows[i][2]
    call('ZADD', KEYS[2], close, string.format('%d:%d', open, close))
    if not first and close > now() then
      first = windows[i]
    end
  end
  -- Without a window ahead the account is closed until the calendar is computed anew.
  after.wo, after.wc = first and first[1] or 0, first and first[2] or 0
  call('HSET', key, 'cal', ARGV[4])
  call('ZADD', KEYS[3], ARGV[5], account)
end
gated().write_settings(account, after)
all.remember_account(account)
all.limit_everywhere(1)
all.review_account(account)
all.save_all()
return { tostring(before.w), calendar or '' }
