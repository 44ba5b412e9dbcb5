--[[
  Whose turn is next, read once for all runs of a call.

  Every admission takes the account with the smallest tag and gives it a larger one: two commands each. Here the
  smallest tags of a queue of one group come in one read, one for each run, and the new ones are written with one
  command, which nothing else reads before the end of the call.
]]
local MANY, MAX_LISTED, MAX_EMPTIED = 8, 100, 1000
-- listed: account, tag, account, ... as Redis gave them, nil where they have to be read (again); listed_at: the next of
-- them; listed_all: whether there are no more; listed_free: whether nothing limits any of them.
local listed, listed_at, listed_all, listed_free
-- The accounts that were served since, by their new tags: the command that writes them, whose last arguments are tag and
-- account of each, and these tags; served_from: the next of them.
local line, served_tags, served_from
-- Accounts with emptied lanes, as the commands that forget them and since when they wait; how many in this call.
local gone, gone_lanes, emptied = nil, nil, 0
-- Whether the queue has jobs of a priority; nil where that has to be asked (again).
local prioritized
-- Keys of a queue of one group, known from the first admission on.
local ready, lane_stem
own.runs = 1

local function write_tags()
  listed, prioritized = nil, nil
  if line and line[3] then
    call(unpack(line))
  end
  line, served_tags, served_from = { 'ZADD', ready }, {}, 1
  if gone then
    call(unpack(gone))
    call(unpack(gone_lanes))
    gone = nil
  end
end

-- The accounts with the smallest tags, and these. Redis takes as long to write a tag as to find it, so of many accounts
-- that came one after the other only the first and the last is read: where these two lie no farther apart than so many
-- steps, each of those between is taken to be a step behind the one before. Less than a ten-thousandth of a job is what
-- that may change for one of them.
local function read_heads(most)
  local accounts = most >= MANY and call('ZRANGE', ready, '0', most - 1) or {}
  local count = #accounts
  if count >= MANY then
    local ends = call('ZMSCORE', ready, accounts[1], accounts[count])
    local first = tonumber(ends[1])
    if tonumber(ends[2]) - first < 2 * count then
      local heads = {}
      for i = 1, count do
        heads[2 * i - 1], heads[2 * i] = accounts[i], first + i - 1
      end
      return heads
    end
  end
  return call('ZRANGE', ready, '0', most - 1, 'WITHSCORES')
end

local function list_accounts()
  if not ready then
    ready, lane_stem = own.own .. ':r:' .. own.g, own.own .. ':l:' .. own.g .. ':'
  end
  -- Where a whole list was of emptied lanes, more are to be expected.
  local most = math.max(own.runs, gone and math.min(2 * #gone, MAX_LISTED) or 0)
  write_tags()
  listed = read_heads(most)
  listed_at, listed_all = 1, #listed < 2 * most
  if own.lim then
    listed_free = not reading().foresee(own.g, listed) and own.lim == 1
  end
end

-- The account with the smallest tag, and that tag; nil when it takes a look at Redis to know.
local function next_account()
  if not listed or not listed_all and listed_at > #listed then
    list_accounts()
  end
  local account, tag = listed[listed_at], tonumber(listed[listed_at + 1])
  local again = served_tags[served_from]
  if again and (tag and again < tag or not tag and listed_all) then
    served_from = served_from + 1
    return line[2 * served_from], again
  end
  listed_at = listed_at + 2
  return account, tag
end

-- The account has been served and gets this tag. It is nearly always the largest so far.
local function move_tag(account, tag)
  local at = #served_tags + 1
  while at > served_from and served_tags[at - 1] > tag do
    served_tags[at], line[2 * at + 1], line[2 * at + 2] = served_tags[at - 1], line[2 * at - 1], line[2 * at]
    at = at - 1
  end
  served_tags[at], line[2 * at + 1], line[2 * at + 2] = tag, tag_text(tag), account
end

-- Whether the lane, whose list is empty, has no job of a priority either.
local function is_emptied(account)
  if prioritized == nil then
    prioritized = call('EXISTS', own.base .. 'prioritized') == 1
  end
  return not prioritized or call('EXISTS', own.own .. ':p:' .. own.g .. ':' .. account) == 0
end

-- The account's lane was emptied earlier; virtual time has come to its tag, so that may be forgotten. Whether the call may
-- do as much once more.
local function pass_over(account, tag)
  if tag > own.v then
    own.v = tag
  end
  own.dirty = true
  if not gone then
    gone, gone_lanes = { 'ZREM', ready }, { 'ZREM', own.own .. ':s' }
  end
  local at = #gone + 1
  gone[at], gone_lanes[at] = account, own.g .. ':' .. account
  emptied = emptied + 1
  return emptied < MAX_EMPTIED
end
