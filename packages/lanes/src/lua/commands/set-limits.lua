--[[
  Sets or removes the limits of one gate (account x group), effective at once in every queue.
  Tokens that are spent stay spent; jobs that run already count as in flight.

  KEYS[1] a stand-in for the queue's own key
  ARGV[1] account  [2] group  [3] interval ms  [4] depth ms  [5] max in flight ('' = none),
  then the key prefix and a time for tests. Reply: the settings before, as an array of 3.
]]
local all = rare()
local account, group = ARGV[1], ARGV[2]
local interval, depth, max = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
all.remember_account(account)
all.remember_group(group)
all.limit_everywhere(1)
local gate = all.gate_anywhere(group, account)
local before = {}
for at, number in ipairs({ gate.own_i, gate.own_d, gate.own_m }) do
  before[at] = number > 0 and string.format('%.17g', number) or ''
end
local old_m, spent, by = gate.m, gate.t, gate.b
gate.own_i, gate.own_d, gate.own_m = interval or 0, depth or 0, max or 0
gated().change(gate)
local new = all.gate_anywhere(group, account)
if new.i then
  new.t = all.carry_over(spent, by, new.i, new.d)
  gated().change(new)
end
if new.m and not old_m then
  local lane = group .. ':' .. account
  gated().count_claim(group, account, all.adopt_active(group, lane, 1)[lane] or 0)
end
all.review(group, account)
all.save_all()
return before
