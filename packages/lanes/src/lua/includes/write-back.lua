--[[
  Writes that the runs of a call put off, so that one command does for all of them: new tags and claims, which nothing
  else reads before the end of the call. What is not plain goes the long way, and finds everything as if nothing had
  been put off.
]]
own.write_back = function()
  write_tags()
  if own.passing then
    own.passing.write_claims()
  end
end

local function long_way(build)
  own.write_back()
  return build()
end
