--[[
  Several runs in one call: the functions are built, the state is read and written once.

  KEYS: those of the first run, without the stem of the queue's keys; of every other run its own ones; then that stem.
  ARGV[1] number of runs, then how many and which KEYS are a run's own, how many and which ARGV, how many ARGV a run has,
  those of the first run, of every other run its own ones, then the queue's key prefix and a time for tests.
  Reply: of each run, or its error, packed (`packed-replies.ts`). A run that fails leaves the others alone, as calls of
  their own would.
]]
local all_args, replies = ARGV, {}
local at = 2

local function list_places()
  local last, places = at + tonumber(all_args[at]), {}
  for i = at + 1, last do
    places[i - at] = tonumber(all_args[i])
  end
  at = last + 1
  return places
end

local runs = tonumber(all_args[1])
local own_keys, own_args = list_places(), list_places()
local width = tonumber(all_args[at])
local args = { unpack(all_args, at + 1, at + width) }
local key_at = #KEYS - #own_keys * (runs - 1)
at = at + width + 1
own.runs = runs

for number = 1, runs do
  if number > 1 then
    for i = 1, #own_keys do
      KEYS[own_keys[i]], key_at = KEYS[key_at], key_at + 1
    end
    for i = 1, #own_args do
      args[own_args[i]], at = all_args[at], at + 1
    end
  end
  ARGV = { unpack(args) }
  local ok, reply = pcall(run)
  if not ok then
    reply = { err = type(reply) == 'table' and reply.err or tostring(reply) }
  elseif reply == nil then
    reply = false
  end
  replies[number] = reply
end
finish()
return cmsgpack.pack(replies)
