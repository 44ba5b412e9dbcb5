--[[
  Parts of admission that few calls need: several groups, totals.
]]
-- Whether the total of a group lets nothing pass, or not this job. Where it has tokens for a cheaper one only, the
-- group waits all the same: a costly job would never have its turn.
local function total_is_closed(c, g, cost)
  local at = c.short and c.short[g] or total_closed(g, cost or 1)
  if not at then
    return false
  elseif cost then
    c.short = c.short or {}
    c.short[g] = at
  end
  if at < huge then
    if not c.total_opens or at < c.total_opens then
      c.total_opens = at
    end
  else
    c.total_full = true
    call('SADD', PREFIX .. '::w:' .. g, queue_of(c))
  end
  return true
end

-- The group whose turn it is among the account's open ones, and the others it is ready in.
local function take_turn(c, a, g)
  local open, mine = {}, {}
  for _, other in ipairs(groups_of(c)) do
    if other == g or call('ZSCORE', c.own .. ':r:' .. other, a) then
      mine[#mine + 1] = other
      if other == g or not (c.lim and c.lim >= 4 and total_is_closed(c, other)) then
        open[#open + 1] = other
      end
    end
  end
  if #open > 1 then
    local last = call('HGET', c.own .. ':t', a)
    g = open[1]
    for i = 1, #open - 1 do
      if open[i] == last then
        g = open[i + 1]
      end
    end
    call('HSET', c.own .. ':t', a, g)
  end
  local others = {}
  for _, other in ipairs(mine) do
    if other ~= g then
      others[#others + 1] = other
    end
  end
  return g, others
end
