--[[
  Closes a queue to lanes while workers without lanes serve it, and opens it when they are gone.

  Such a worker runs delayed and prioritized jobs past every gate, and nobody here can stop it. What
  is kept with the queue's groups holds for every worker in its next call, and costs a fleet that is
  not mixed nothing.

  KEYS[1] the queue's own key. ARGV[1] '1' plain workers serve it, '0' none does, then the key prefix
  and a time for tests. Reply: 1 changed, 0 was so already.
]]
local all = rare()
local refused = ARGV[1] == '1'
load(own)
if (choosing().is_refused(own) or false) == refused then
  return 0
end
if refused then
  if not own.g then
    -- Until now a queue of plain BullMQ; a worker with lanes would take its jobs into lanes.
    all.add_group(own, 'default')
  end
  own.lim = (own.lim or 0) + 8
else
  own.lim = own.lim > 8 and own.lim - 8 or nil
  own.wake = true
end
all.write_groups(own)
all.save_others()
save(own)
return 1
