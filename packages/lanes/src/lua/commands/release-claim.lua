--[[
  Ends the claim of a handler that has settled although its finish was refused (its lock was
  lost). A newer claim of the same job has another fence and stays.

  KEYS[1] the queue's own key. ARGV[1] job id  [2] fence, then the key prefix and a time for
  tests. Reply: 1 released, 0 not ours.
]]
local released = gated().release(own, ARGV[1], ARGV[2])
rare().save_others()
save(own)
return released
