--[[
  Release of a claim, once: the record decides, so a second release finds nothing to do.
  A gate that was full may open; its lanes are looked at in every queue that waits for it.
]]
-- Of the jobs that the runs of this call end: their claims, and whose gates count them.
local groups, accounts = {}, {}

-- The records of these claims, and of their gates, read together.
local function read_claims()
  local ids = own.ending()
  local found = call('HMGET', own.own .. ':k', unpack(ids))
  own.claims = {}
  local of_group = {}
  for i = 1, #ids do
    local id, record = ids[i], found[i]
    own.claims[id] = record
    if record then
      -- A fence has 15 characters or more, so the space behind it is no nearer.
      local g, a = string.match(record, ' %d ([^:]*):(.*)$', 55)
      groups[id], accounts[id] = g, a
      local of = of_group[g]
      if not of then
        of = {}
        of_group[g] = of
      end
      of[#of + 1], of[#of + 2] = a, record
    end
  end
  for g, of in pairs(of_group) do
    foresee(g, of)
  end
end

-- One claim less of a gate, which may open.
local function leave_gate(g, a)
  count_claim(g, a, -1)
  if anyone_waits() then
    local waiting = waiting_queues(g .. ':' .. a)
    if waiting[1] then
      if own.write_back then
        own.write_back()
      end
      rare().reopen(waiting, g, a)
    end
  end
end

-- One claim less of all that counts it.
local function leave(record)
  local _, kinds, g, a = read_claim(record)
  if kinds ~= '2' then
    leave_gate(g, a)
  end
  if kinds ~= '1' then
    rare().release_total(g)
  end
end

-- Ends the claim of a job, once: 0 where it has ended before, or where another `fence` was meant.
local function release(c, id, fence)
  if not load(c).lim then
    return 0
  end
  local record
  if c == own and own.ending then
    if not own.claims then
      read_claims()
    end
    record = own.claims[id]
    if record then
      own.claims[id] = false
      put_off_end(id)
      if own.lim < 4 then
        leave_gate(groups[id], accounts[id])
      else
        leave(record)
      end
      return 1
    end
  end
  if record == nil then
    record = call('HGET', c.own .. ':k', id)
  end
  if not record or fence and read_claim(record) ~= fence then
    return 0
  end
  call('HDEL', c.own .. ':k', id)
  leave(record)
  return 1
end
