--[[
  The finished job's lane comes with the fields BullMQ reads of it anyway, and its parent, if it
  has one, says whether other queues must be routed.
]]
local function route_finished_job(key)
  routes[key] = function(command, _, ...)
    if command == 'HMGET' and ... == 'parentKey' then
      local fields = { ... }
      fields[#fields + 1] = 'ln'
      local reply = call('HMGET', key, unpack(fields))
      lane_of_key[key] = reply[#fields] or SHARED
      if reply[1] then
        route_others()
      end
      return reply
    end
    return elsewhere(call, command, key, ...)
  end
end
