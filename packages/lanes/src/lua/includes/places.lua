--[[
  Places in lists of jobs, for readers that come back page by page while jobs come and go. A place is what was read
  last. What is behind it is found again though it is gone, or others before it, so nothing that stays is passed over.
]]

-- Bytes, as Redis orders members: Lua's `<` follows the locale of the server.
local function is_before(id, other)
  for at = 1, math.min(#id, #other) do
    local byte, other_byte = string.byte(id, at), string.byte(other, at)
    if byte ~= other_byte then
      return byte < other_byte
    end
  end
  return #id < #other
end

-- Rank in a sorted set, highest first, of what is behind a place. Many may share a score, so these are bisected.
local function rank_behind(key, score, id)
  local low = call('ZCOUNT', key, '(' .. score, '+inf')
  local high = low + call('ZCOUNT', key, score, score)
  while low < high do
    local middle = floor((low + high) / 2)
    if is_before(call('ZREVRANGE', key, middle, middle)[1], id) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local SLACK, CHUNK, CHUNKS = 100, 200, 20

-- The last of some ids that a list holds from an index on, in a bounded window.
local function last_known(key, from, known, last)
  local best, index = 0, nil
  for chunk = 0, CHUNKS - 1 do
    local start = from + chunk * CHUNK
    local part = call('LRANGE', key, start, start + CHUNK - 1)
    for at, id in ipairs(part) do
      if (known[id] or 0) > best then
        best, index = known[id], start + at - 1
      end
    end
    if best == last or #part < CHUNK then
      break
    end
  end
  return index
end

-- Index in a list of what is behind a place: the ids read last, the last one at index `head` then, `tail` before the
-- end. Jobs join a list at its head and leave it mostly at its end, so the place is neither nearer to the head than it
-- was, nor farther from the end, but for what was taken out of the middle or put back at the end: `SLACK`. So it is
-- found unless thousands have joined and thousands have left since. If it is gone, with all that was read right before
-- it, the reading goes on where it would be if none had left behind it: some may be met twice, none is passed over.
local function index_behind(key, size, head, tail, ids)
  local known = {}
  for at, id in ipairs(ids) do
    known[id] = at
  end
  local nearest = math.max(size - 1 - tail - SLACK, 0)
  local likely = math.max(head - SLACK, nearest)
  local index = last_known(key, likely, known, #ids)
  if not index and nearest < likely then
    index = last_known(key, nearest, known, #ids)
  end
  return index and index + 1 or math.max(size - tail, 0)
end

local FEW_LANES, ACCOUNTS_A_STEP = 512, 500

-- Accounts that may have waiting jobs of a group, by name and so in an order that does not change while they are
-- served: from `from` on, or from behind it. Of very many lanes a step at a time, among all accounts.
-- Returns them, and whether there may be more.
local function accounts_from(c, g, from, is_behind)
  local accounts = PREFIX .. '::accounts'
  local sets = { c.own .. ':r:' .. g, c.own .. ':h:' .. g }
  if call('ZCARD', sets[1]) + call('ZCARD', sets[2]) > FEW_LANES then
    local least = from and (is_behind and '(' or '[') .. from or '-'
    local step = call('ZRANGEBYLEX', accounts, least, '+', 'LIMIT', 0, ACCOUNTS_A_STEP)
    return step, #step == ACCOUNTS_A_STEP
  end
  local first = from and call('ZLEXCOUNT', accounts, '-', (is_behind and '[' or '(') .. from) or 0
  local ranks, names = {}, {}
  for _, set in ipairs(sets) do
    for _, account in ipairs(call('ZRANGE', set, 0, -1)) do
      local rank = call('ZRANK', accounts, account)
      if rank and rank >= first and not names[rank] then
        names[rank] = account
        ranks[#ranks + 1] = rank
      end
    end
  end
  table.sort(ranks)
  for at, rank in ipairs(ranks) do
    ranks[at] = names[rank]
  end
  return ranks, false
end
