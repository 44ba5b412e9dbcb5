--[[
  Removes finished jobs with their index entries. BullMQ's own retention would do the same to other
  jobs without telling anybody.

  KEYS[1] the queue's own key.
  ARGV[1] completed, failed or cancelled, the ids, then the key prefix and a time for tests.
  Reply: the number of jobs removed.
]]
local all = rare()
local finished = BASE .. table.remove(ARGV, 1)
for _, id in ipairs(ARGV) do
  local key = BASE .. id
  all.redirect('DEL', key, key .. ':logs', key .. ':dependencies', key .. ':processed', key .. ':failed',
    key .. ':unsuccessful')
end
return call('ZREM', finished, unpack(ARGV))
