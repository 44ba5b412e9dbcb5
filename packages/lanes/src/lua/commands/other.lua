--[[
  Runs any other BullMQ script; `bull` is the unmodified script. Other queues (of parents and
  children) are routed too, where they are queues of lanes.

  KEYS: BullMQ's, then the queue's own key. ARGV: BullMQ's, then the queue's key prefix, a time
  for tests. Returns BullMQ's reply.
]]
route_queue(own_context, nil)
route_finished(own_context)
route_others()
local reply = bull(redirected, KEYS, ARGV)
save_all()
return reply
