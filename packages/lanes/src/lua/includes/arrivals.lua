--[[
  Jobs that were made without lanes find theirs.
]]
local MAX_ABSORBED = 100

-- Jobs made inside BullMQ's scripts (successors of deduplicated jobs, iterations of schedulers)
-- and by plain producers carry their lane in their options.
local function lane_in_options(json)
  if string.find(json, '"lane"', 1, true) then
    local lane = cjson.decode(json).lane
    if type(lane) == 'table' and lane.account then
      return (lane.group or 'default') .. ':' .. lane.account, lane.cost, lane.tag
    end
  end
end

-- Gives a job that was made without lanes the one its options name.
local function settle_in(c, id)
  local key = c.base .. id
  local job = call('HMGET', key, 'ln', 'opts')
  local lane = job[1]
  if not lane and job[2] then
    local cost, tag
    lane, cost, tag = lane_in_options(job[2])
    if lane then
      call('HSET', key, 'ln', lane)
      if cost and cost ~= 1 then
        call('HSET', key, 'lc', cost)
        look_at_jobs(c)
      end
      if tag then
        call('HSET', key, 'tg', tag)
        index_tag(c, tag, id)
      end
    end
  end
  lane_of_key[key] = lane or SHARED
  return lane or SHARED
end

-- Jobs in BullMQ's own wait list come from plain producers, from before the queue had lanes,
-- or from a pause list; they join their lanes here, oldest first.
local function absorb(c)
  for _ = 1, MAX_ABSORBED do
    local id = call('LINDEX', c.base .. 'wait', -1)
    if not id then
      return
    end
    if string.sub(id, 1, 2) ~= '0:' and call('EXISTS', c.base .. id) == 1 then
      push(c, settle_in(c, id), 'LPUSH', id)
    end
    call('RPOP', c.base .. 'wait')
  end
  c.again = true
end
