--[[
  Several runs in one call: the functions are built, the state is read and written once.

  KEYS: those of the first run, without the stem of the queue's keys; of every other run the two in
  which they differ, the finished set and the job; then that stem. ARGV[1] number of runs, then per
  run the number of its ARGV and these, then the queue's key prefix and a time for tests.
  Reply: per run an array of its reply, or its error. A run that fails leaves the others alone, as
  calls of their own would.
]]
local all_args = ARGV
local replies = {}
local at = 2
own.runs = tonumber(all_args[1])
own.ids = {}
for _ = 1, own.runs do
  own.ids[#own.ids + 1] = all_args[at + 1]
  at = at + tonumber(all_args[at]) + 1
end
at = 2
for number = 1, own.runs do
  if number > 1 then
    -- The run before may have been refused: then this one may hand out its job.
    mine[KEYS[11]], mine[KEYS[12]] = nil, nil
    local last = #KEYS - 1 - 2 * (own.runs - number)
    KEYS[11], KEYS[12] = KEYS[last - 1], KEYS[last]
  end
  ARGV = { unpack(all_args, at + 1, at + tonumber(all_args[at])) }
  at = at + tonumber(all_args[at]) + 1
  setmetatable(theirs, nil)
  own.ended, own.finishing, own.attempts, own.asks_children = nil, nil, nil, nil
  own.served, own.fence, own.token = nil, nil, nil
  local ok, reply = pcall(run)
  if ok then
    replies[number] = { reply }
  else
    replies[number] = { err = type(reply) == 'table' and reply.err or tostring(reply) }
  end
end
finish()
return replies
