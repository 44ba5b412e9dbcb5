--[[
  Runs a BullMQ script that adds one job; `bull` is the unmodified script.

  KEYS: BullMQ's, then the queue's own key. ARGV: BullMQ's, then the job's lane ('' = the shared
  one), '' or JSON { cost, tag, parent }, the queue's key prefix, a time for tests.
  Returns BullMQ's reply.
]]
local extra = table.remove(ARGV)
local lane = table.remove(ARGV)
if lane ~= '' then
  lane_at_birth = lane
end
route_queue(own_context, nil)
if extra ~= '' then
  local more = cjson.decode(extra)
  cost_at_birth, tag_at_birth = more.cost, more.tag
  if more.parent then
    route_finished(own_context)
    route_others()
  end
end
local reply = bull(redirected, KEYS, ARGV)
save_all()
return reply
