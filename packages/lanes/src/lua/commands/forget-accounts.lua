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

local function is_used(account)
  local fields = call('HGETALL', all.PREFIX .. '::a:' .. account)
  for i = 1, #fields, 2 do
    local kind, value = string.match(fields[i], ':([tnu])$'), tonumber(fields[i + 1])
    if kind == 'n' and value > 0 or kind == 't' and value > now() - REMEMBERED_MS
      or kind == 'u' and value > now() or not kind then
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

local forgotten = 0
for _, account in ipairs(page) do
  if not is_used(account) and not has_jobs(account) and not is_running(account) then
    call('DEL', all.PREFIX .. '::a:' .. account)
    call('ZREM', known, account)
    forgotten = forgotten + 1
  end
end
return { #page == most and page[#page] or '', forgotten }
