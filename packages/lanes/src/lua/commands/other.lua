--[[
  Runs any other BullMQ script, `bull_run`. Other queues (of parents and
  children) are routed too, where they are queues of lanes.

  KEYS: BullMQ's, then the queue's own key. ARGV: BullMQ's, then the queue's key prefix, a time
  for tests. Returns BullMQ's reply.
]]
load(own)
local all = rare()
local bull_redis = { call = all.redirect, pcall = redis.pcall, now = now, lanes = rare }
-- BullMQ's script, which is built behind all this.
local bull_run

local function run()
  return bull_run(KEYS, ARGV)
end

local function finish()
  all.save_others()
  save(own)
end
