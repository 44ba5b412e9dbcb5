--[[
  Several runs in one call: the functions are built, the state is read and written once.

  KEYS: those of every run, without the stem of the queue's keys, one after the other, then that
  stem. ARGV[1] number of runs  [2] KEYS of a run, then per run the number of its ARGV and these,
  then the queue's key prefix and a time for tests.
  Reply: per run an array of its reply, or its error. A run that fails leaves the others alone, as
  calls of their own would.
]]
local all_keys, all_args = KEYS, ARGV
local width = tonumber(all_args[2])
local replies = {}
local at = 3
for number = 1, tonumber(all_args[1]) do
  KEYS = { unpack(all_keys, (number - 1) * width + 1, number * width) }
  ARGV = { unpack(all_args, at + 1, at + tonumber(all_args[at])) }
  at = at + tonumber(all_args[at]) + 1
  own.ended, own.parent = nil, nil
  local ok, reply = pcall(run)
  if ok then
    replies[number] = { reply }
  else
    replies[number] = { err = type(reply) == 'table' and reply.err or tostring(reply) }
  end
end
finish()
return replies
