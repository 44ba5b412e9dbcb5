--[[
  Several runs in one call: the functions are built, the state is read and written once.

  KEYS: those of the first run, without the stem of the queue's keys; of every other run those in
  which they differ (`ownKeys` of the script); then that stem. ARGV[1] number of runs, then per
  run the number of its ARGV and these, then the queue's key prefix and a time for tests.
  Reply: of each run, or its error. A run that fails leaves the others alone, as calls of their own would.
]]
local all_args, replies = ARGV, {}
local runs = tonumber(all_args[1])
local at = 2
own.runs = runs

-- The jobs that the runs end, where they end jobs.
own.ending = function()
  local ids, of = {}, 2
  for number = 1, runs do
    ids[number] = all_args[of + 1]
    of = of + tonumber(all_args[of]) + 1
  end
  return ids
end

for number = 1, runs do
  TAKE_OWN_KEYS
  local last = at + tonumber(all_args[at])
  ARGV = { unpack(all_args, at + 1, last) }
  at = last + 1
  local ok, reply = pcall(run)
  if ok then
    replies[number] = reply
  else
    replies[number] = { err = type(reply) == 'table' and reply.err or tostring(reply) }
  end
end
finish()
return replies
