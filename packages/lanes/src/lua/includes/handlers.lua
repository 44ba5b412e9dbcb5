--[[
  What handlers of the scripts that add jobs and of those that take them have in common. The hash `meta` is read once for
  all runs of a call. The state of the lanes is read before anything is written: what another version has written stays as
  it is.
]]
load(own)
-- Where a command on no key of ours goes: Redis, or the lanes of any queue where a parent is concerned.
local pass_on
-- What this call has read of `meta`: the next runs need not do it again.
local settings, most_events

local function on_HGET(command, key, field)
  if key == META and field == 'opts.maxLenEvents' then
    most_events = most_events or call(command, key, field)
    return most_events
  end
  return pass_on(command, key, field)
end
