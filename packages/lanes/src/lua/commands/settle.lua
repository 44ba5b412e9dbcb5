--[[
  Does what is due in one queue, bounded, so that a reader sees the truth and a worker wakes.

  KEYS[1] the queue's own key. ARGV: the key prefix and a time for tests.
  Reply: eligible jobs, and when something becomes due next (0 = never known).
]]
local all = rare()
load(own)
all.promote(own)
if own.lim then
  all.open_due(own)
end
if own.e > 0 then
  own.wake = true
end
local due = idle().next_due(own)
all.save_others()
save(own)
return { own.e, due and math.ceil(due) or 0 }
