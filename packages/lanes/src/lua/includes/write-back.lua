--[[
  Writes that the runs of a call put off, so that one command does for all of them: new tags and claims, which nothing
  else reads before the end of the call. What is not plain goes the long way, and finds everything as if nothing had
  been put off.
]]
local later = {}

-- Adds `a` and, where given, `b` to the arguments of the command on this key.
own.put_off = function(command, key, a, b)
  local line = later[command]
  if not line then
    line = { command, key }
    later[command] = line
  end
  local last = #line
  line[last + 1], line[last + 2] = a, b
end

own.write_back = function()
  own.listed = nil
  if next(later) then
    for _, line in pairs(later) do
      call(unpack(line))
    end
    later = {}
  end
end

local function long_way(build)
  own.write_back()
  return build()
end
