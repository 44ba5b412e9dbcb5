--[[
  Declares a limit group: the limits of accounts that have none of their own, and the total over
  all accounts. Changes nothing when it is declared already.

  KEYS[1] group hash   KEYS[2] a stand-in for the queue's own key
  ARGV[1] group  [2-4] default interval ms, depth ms, max in flight  [5-7] the same of the total
  ('' = none), then the key prefix and a time for tests. Reply: 1 changed, 0 not.
]]
local all = rare()
local group, key = ARGV[1], KEYS[1]
local names = { 'i', 'd', 'm', 'ti', 'td', 'tm' }
local before = call('HMGET', key, unpack(names))
local changed, limits_changed = false, false
for n = 1, #names do
  if (before[n] or '') ~= ARGV[n + 1] then
    changed = true
    limits_changed = limits_changed or n <= 3
    if ARGV[n + 1] == '' then
      call('HDEL', key, names[n])
    else
      call('HSET', key, names[n], ARGV[n + 1])
    end
  end
end
if not changed then
  return 0
end
if limits_changed then
  call('HSET', key, 'at', floor(now()))
end
if ARGV[2] ~= '' or ARGV[4] ~= '' then
  all.remember_group(group)
  all.limit_everywhere(2)
end
if ARGV[5] ~= '' or ARGV[7] ~= '' then
  all.limit_everywhere(4)
end
if ARGV[5] ~= '' then
  local spent, by = tonumber(call('HGET', key, 'tt')) or 0, tonumber(before[4]) or 0
  call('HSET', key, 'tt', all.carry_over(spent, by, tonumber(ARGV[5]), tonumber(ARGV[6])))
end
if ARGV[4] ~= '' and not before[3] then
  for lane, count in pairs(all.adopt_active(group, nil, 1)) do
    local _, account = gated().split(lane)
    gated().count_claim(group, account, count)
  end
end
if ARGV[7] ~= '' and not before[6] then
  for _, count in pairs(all.adopt_active(group, nil, 2)) do
    call('HINCRBY', key, 'tn', count)
  end
end
for _, c in ipairs(all.all_queues()) do
  load(c)
  c.wake = true
  -- Lanes held by the old limits are looked at again within a second, by the audit.
  local held = call('ZRANGE', c.own .. ':h:' .. group, 0, 499)
  for _, account in ipairs(held) do
    all.reconsider(c, group, account)
  end
end
all.save_all()
return 1
