--[[
  Adds what a process has counted to the minute that it is now, by the server's clock: all processes count into the same
  minute whatever their own clocks say. Replies nothing of use.

  KEYS
    1  stem of the minutes' keys; the keys themselves are <stem><queue>:<minute>, sharing its hash tag
  ARGV
    1    for how many seconds a minute is kept
    2..  for each queue: its name, the number of its fields, then field and amount of each. A field that begins with '='
         holds the last value instead of a sum.

  Reply  the minute, counted from the epoch
]]
local minute = math.floor(redis.call('TIME')[1] / 60)
local at = 2
while ARGV[at] do
  local key = KEYS[1] .. ARGV[at] .. ':' .. string.format('%d', minute)
  local last = at + 1 + 2 * tonumber(ARGV[at + 1])
  for i = at + 2, last, 2 do
    if string.sub(ARGV[i], 1, 1) == '=' then
      redis.call('HSET', key, ARGV[i], ARGV[i + 1])
    else
      redis.call('HINCRBY', key, ARGV[i], ARGV[i + 1])
    end
  end
  redis.call('EXPIRE', key, ARGV[1])
  at = last + 1
end
return minute
