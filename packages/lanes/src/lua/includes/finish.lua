--[[
  The end of a call: states are written, and a marker wakes one worker where there is a job it
  may have now. A script that stopped at one of its bounds says "again now".
]]
local function has_work(c)
  if not c.e or c.e <= 0 then
    return false
  end
  return not c.lim or c.lim < 4 or choose(c) ~= nil
end

local function save_all()
  for _, c in pairs(contexts) do
    if c.again or (c.wake and has_work(c)) then
      call('ZADD', c.base .. 'marker', 0, '0')
    end
    if c.dirty then
      call('HSET', c.own, 'v', c.v, 'n', c.n, 'e', c.e, 'f', c.f)
    end
  end
end
