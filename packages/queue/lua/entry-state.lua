--[[
  What the dedup memory knows of an id.

  KEYS
    1  dedup bucket of the id
  ARGV
    1  field in the bucket

  Reply  state of the entry, see read-entry.lua, or '' when there is none
]]
--- @include "read-entry"

local entry = readEntry(KEYS[1], ARGV[1])
return entry and entry.state or ''
