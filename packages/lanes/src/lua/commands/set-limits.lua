--[[
  Sets or removes the limits of one gate (account x group), effective at once in every queue.
  Tokens that are spent stay spent; jobs that run already count as in flight.

  KEYS[1] account hash   KEYS[2] a stand-in for the queue's own key
  ARGV[1] account  [2] group  [3] interval ms  [4] depth ms  [5] max in flight ('' = none),
  then the key prefix and a time for tests. Reply: the settings before, as an array of 3.
]]
local all = rare()
local account, group = ARGV[1], ARGV[2]
local interval, depth, max = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local key = KEYS[1]
local f = call('HMGET', key, group .. ':i', group .. ':d', group .. ':m', group .. ':t')
local before = { f[1] or '', f[2] or '', f[3] or '' }
local default = all.total_of(group)
local old_i, old_d, old_m = tonumber(f[1]), tonumber(f[2]), tonumber(f[3])
if not old_i and not old_m then
  old_i, old_d, old_m = default.default_i, default.default_d, default.default_m
end
local now_i, now_d, now_m = interval, depth, max
if not interval and not max then
  now_i, now_d, now_m = default.default_i, default.default_d, default.default_m
end

if interval then
  call('HSET', key, group .. ':i', interval, group .. ':d', depth)
else
  call('HDEL', key, group .. ':i', group .. ':d')
end
if max then
  call('HSET', key, group .. ':m', max)
else
  call('HDEL', key, group .. ':m')
end
if now_i then
  call('HSET', key, group .. ':t', gated().written(all.carry_over(old_i, old_d, tonumber(f[4]), now_i, now_d)))
end
all.remember_account(account)
all.limit_everywhere(1)
if now_m and not old_m then
  local lane = group .. ':' .. account
  local count = all.adopt_active(group, lane, 1)[lane]
  if count then
    call('HINCRBY', key, group .. ':n', count)
  end
end
all.review(group, account)
all.save_all()
return before
