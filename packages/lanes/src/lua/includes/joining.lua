--[[
  Accounts that come to a queue, or come back to it.

  Those that arrive at one virtual time follow each other in its smallest steps, so that the first to come is the first
  served; by name they would be an unfair order, and one in which jobs lie far apart in memory. As many accounts as STEPS
  may wait so; those beyond share the last step. Beyond WHOLE accounts go by name.
]]
local STEPS = 0x10000

-- The tag of an account of weight 1 that arrives now: virtual time, behind those that came before it.
local function arrival(c)
  local tag = c.v
  if c.a >= tag then
    tag = math.min(c.a + 1, tag + STEPS)
  end
  return tag
end

-- Adds an account to a ready set; false when it is there. Redis keeps a small sorted set as a list
-- that it walks at each change (5 us with 100 accounts); a long member turns it into a skip list
-- (1 us), which it stays until it is empty.
local function join_ready(c, ready, tag, account)
  local text = tag_text(tag)
  local added
  if c.e > 0 then
    added = call('ZADD', ready, 'NX', text, account)
  else
    local long = string.rep('-', 65)
    added = call('ZADD', ready, 'NX', text, account, '0', long) - 1
    call('ZREM', ready, long)
  end
  if added == 1 then
    c.a = arrival(c)
  end
  return added == 1
end
