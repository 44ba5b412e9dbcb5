--[[
  Pauses or resumes an account, in every queue and group, and keeps who did it and when.

  KEYS[1] calendar and pause of the account  [2] pauses (who and when of all paused accounts)  [3] stand-in
  ARGV[1] account  [2] '1' or '0'  [3] who, then the key prefix and a time for tests.
  Reply: 1 changed, 0 was so already.
]]
local all = rare()
local account, key = ARGV[1], KEYS[1]
local before = gated().settings_of(account)
if (before.p or false) == (ARGV[2] == '1') then
  return 0
end
gated().write_settings(account, { w = before.w, p = not before.p, wo = before.wo, wc = before.wc })
if ARGV[2] == '1' then
  call('HSET', key, 'pw', ARGV[3], 'pt', floor(now()))
  call('ZADD', KEYS[2], floor(now()), account)
else
  call('HDEL', key, 'pw', 'pt')
  call('ZREM', KEYS[2], account)
end
all.remember_account(account)
all.limit_everywhere(1)
all.review_account(account)
all.save_all()
return 1
