--[[
  What handlers of the scripts that add jobs and of those that take them have in common. The hash `meta` is read once for
  all runs of a call, and the state of the lanes comes with it.
]]
-- Where a command on no key of ours goes: Redis, or the lanes of any queue where a parent is concerned.
local pass_on
-- What this call has read of `meta`: the next runs need not do it again.
local settings, most_events

-- What BullMQ asks of the hash, two fields or four, and the state, where it is not known.
local function read_meta(command, key, a, b, d, e)
  local fields, from
  if e then
    fields, from = call(command, key, a, b, d, e, 'lane:s', 'lane:g'), 5
  else
    fields, from = call(command, key, a, b, 'lane:s', 'lane:g'), 3
  end
  if not own.v then
    read_state(own, fields[from], fields[from + 1])
  end
  return fields
end

local function on_HGET(command, key, field)
  if key == META and field == 'opts.maxLenEvents' then
    most_events = most_events or call(command, key, field)
    return most_events
  end
  return pass_on(command, key, field)
end
