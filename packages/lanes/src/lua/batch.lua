--[[
  Runs one script several times in one call: `one` is its text as a function of KEYS and ARGV.

  KEYS: those of every run, one after the other. ARGV[1] number of runs  [2] KEYS of a run, then
  per run the number of its ARGV and these. Reply: per run an array of its reply, or its error.
  A run that fails leaves the others alone, as separate calls would.
]]
local runs, width = tonumber(ARGV[1]), tonumber(ARGV[2])
local replies = {}
local at = 3
for run = 1, runs do
  local keys, args = {}, {}
  for i = 1, width do
    keys[i] = KEYS[(run - 1) * width + i]
  end
  local count = tonumber(ARGV[at])
  for i = 1, count do
    args[i] = ARGV[at + i]
  end
  at = at + count + 1
  local ok, reply = pcall(one, keys, args)
  if ok then
    replies[run] = { reply }
  else
    replies[run] = { err = type(reply) == 'table' and reply.err or tostring(reply) }
  end
end
return replies
