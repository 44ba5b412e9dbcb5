--[[
  A bounded step through the accounts by name: those of whom nothing is left are forgotten, so that
  their number does not grow for ever. Left is a job in any queue, a setting, a claim, or a bucket
  that was used within the last day: a clock that steps back must not refill it.

  KEYS[1] a stand-in for the queue's own key.
  ARGV[1] the account after which to begin ('' = at the first)  [2] at most this many, then the key
  prefix and a time for tests. Reply: the next to begin after ('' = all seen), accounts forgotten.
]]
local REMEMBERED_MS = 86400000
local MAX_ACTIVE = 1000
local all = rare()
local known = all.PREFIX .. '::accounts'
local most = tonumber(ARGV[2])
local page = call('ZRANGEBYLEX', known, ARGV[1] == '' and '-' or '(' .. ARGV[1], '+', 'LIMIT', 0, most)
local queues = all.all_queues()

local groups = all.known_groups()

local function is_used(account)
  if reading().has_settings(account) then
    return true
  end
  for _, g in ipairs(groups) do
    local k = gated().gate_of({ lim = 0 }, g, account)
    if k.own_i > 0 or k.own_m > 0 or k.n > 0 or k.t > now() - REMEMBERED_MS or k.u > now() then
      return true
    end
  end
end

local function has_jobs(account)
  for _, c in ipairs(queues) do
    local keys = {}
    for _, state in ipairs({ 'c', 'f', 'd', 'n' }) do
      keys[#keys + 1] = c.own .. ':x:' .. state .. ':' .. account
    end
    for _, g in ipairs(choosing().groups_of(load(c))) do
      keys[#keys + 1] = c.own .. ':l:' .. g .. ':' .. account
      keys[#keys + 1] = c.own .. ':p:' .. g .. ':' .. account
    end
    if call('EXISTS', unpack(keys)) > 0 then
      return true
    end
  end
end

-- Running jobs are in no index. Looked at once a call, and only when somebody may go.
local running
local function is_running(account)
  if not running then
    running = {}
    for _, c in ipairs(queues) do
      local ids = call('LRANGE', c.base .. 'active', 0, MAX_ACTIVE)
      running.unknown = running.unknown or #ids > MAX_ACTIVE
      for _, id in ipairs(ids) do
        local _, a = gated().split(all.lane_of(c, id))
        running[a] = true
      end
    end
  end
  return running.unknown or running[account]
end

if page[1] then
  reading().read_settings(page)
  for _, g in ipairs(groups) do
    reading().read(g, page)
  end
end
local forgotten = 0
for _, account in ipairs(page) do
  if not is_used(account) and not has_jobs(account) and not is_running(account) then
    for _, g in ipairs(groups) do
      gated().forget(g, account)
    end
    call('ZREM', known, account)
    forgotten = forgotten + 1
  end
end
return { #page == most and page[#page] or '', forgotten }
