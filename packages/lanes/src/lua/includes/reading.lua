--[[
  What a call has read of gates and settings (`records.lua`). Where limits are set for other accounts this is all that is
  built of them.
]]
local PREFIX = string.match(BASE, '^(.*):[^:]*:$')
local GATES, SETTINGS = PREFIX .. '::gates:', PREFIX .. '::settings'
-- By group and account: the record that was read or has been written since; false where nothing is recorded.
local records = {}
-- By account, the same of its settings.
local settings = {}

-- Reads gates of a group together. What has been written since it was read stays.
local function read(g, accounts)
  local known, found = records[g] or {}, call('HMGET', GATES .. g, unpack(accounts))
  records[g] = known
  for at = 1, #accounts do
    local a = accounts[at]
    if known[a] == nil then
      known[a] = found[at]
    end
  end
end

local function read_settings(accounts)
  local found = call('HMGET', SETTINGS, unpack(accounts))
  for at = 1, #accounts do
    settings[accounts[at]] = found[at]
  end
end

-- Reads what will be asked for, and says whether something may limit one of these accounts: where nothing does, that is
-- all there is to know of them. Every second value of `of` is an account, as Redis lists those of a sorted set.
local function foresee(g, of)
  local known, unread, count, limited = records[g] or {}, {}, 0, false
  records[g] = known
  for at = 1, #of, 2 do
    local a = of[at]
    if known[a] == nil or settings[a] == nil then
      count = count + 1
      unread[count] = a
    else
      limited = limited or known[a] or settings[a]
    end
  end
  if count == 0 then
    return limited
  end
  local gates, theirs = call('HMGET', GATES .. g, unpack(unread)), call('HMGET', SETTINGS, unpack(unread))
  for at = 1, count do
    limited = limited or gates[at] or theirs[at]
  end
  if limited then
    for at = 1, count do
      local a = unread[at]
      if known[a] == nil then
        known[a] = gates[at]
      end
      settings[a] = theirs[at]
    end
  end
  return limited
end

local function record_of(g, a)
  local known = records[g]
  if not known or known[a] == nil then
    read(g, { a })
    known = records[g]
  end
  return known[a]
end

local function has_settings(a)
  if settings[a] == nil then
    read_settings({ a })
  end
  return settings[a]
end

-- Whether no job of the queue has a claim, asked once; those that this call takes do not count.
local function is_unclaimed()
  if own.unclaimed == nil then
    own.unclaimed = call('EXISTS', own.own .. ':k') == 0
  end
  return own.unclaimed
end
