--[[
  BullMQ's commands by name, where ours come in between: `on_NAME`, whatever the key. The text of BullMQ calls these
  functions themselves and Redis for most other commands (`binding.ts`).

  The commands on one job are joined: BullMQ reads and writes its hash in several, and a command costs Redis far more
  than its work. The same fields end up with the same values.

    finish  EXISTS, HMGET parentKey ..., HINCRBY atm, HSET returnvalue ...  ->  HMGET, HSET
            SCARD dependencies, ZCARD unsuccessful                          ->  EXISTS of both
    start   HMSET processedOn ..., HINCRBY ats, HGETALL                     ->  HGETALL, HMSET
]]
-- What a request of a worker takes at most, nearly always.
local REQUEST_MS = 20
-- The job that this run finishes: its key, the fields read of it, its attempts when they have been counted, and
-- whether BullMQ asks for its children.
local job_key, finishing, attempts, asks_children
-- The job that this run hands out: its key, its fields, whether it is more than what is left of one, and the token of
-- its lock.
local started, handed, whole, token

-- A job with a parent: from now on this run may touch any job of any queue, by any command.
local function of_any_queue(command, key, ...)
  return long_way(rare).redirect(command, key, ...)
end

local function one_more(count)
  return count and string.format('%d', count + 1) or '1'
end

local function read_finishing()
  finishing = call('HMGET', job_key, 'parentKey', 'parent', 'deid', 'ln', 'atm')
  if finishing[1] then
    pass_on = of_any_queue
  end
  return finishing
end

local function lane_of_finishing()
  return finishing[4] or 'default:'
end

-- Once the job is gone nobody can read it there.
local function remember_lane()
  if finishing then
    own.lane_of[job_key] = lane_of_finishing()
  end
end

-- Asked first of all. Later on it may be asked as the parent of a job that retention removes.
local function on_EXISTS(command, key, ...)
  if key == job_key and not finishing then
    read_finishing()
    asks_children = true
    if finishing[4] or finishing[5] then
      return 1
    end
  end
  return pass_on(command, key, ...)
end

-- SCARD and ZCARD of what a parent waits for.
local function on_SCARD(command, key, ...)
  if asks_children then
    asks_children = call('EXISTS', key, job_key .. ':unsuccessful') == 0
    if asks_children then
      return 0
    end
  end
  return pass_on(command, key, ...)
end

local function on_ZCARD(command, key, ...)
  if asks_children then
    asks_children = false
    return 0
  end
  return pass_on(command, key, ...)
end

local function read_job(command, key, first, ...)
  if key == job_key then
    asks_children = false
    if first == 'parentKey' then
      return finishing or read_finishing()
    end
  end
  return pass_on(command, key, first, ...)
end

local function on_HINCRBY(command, key, ...)
  if key == started then
    return 1
  elseif key == job_key then
    attempts = one_more(finishing[5])
    return attempts
  end
  return pass_on(command, key, ...)
end

local function on_HSET(command, key, ...)
  if attempts and key == job_key then
    return call(command, key, 'atm', attempts, ...)
  end
  return pass_on(command, key, ...)
end

local function on_DEL(command, key, second, ...)
  if second then
    remember_lane()
    return long_way(rare).redirect(command, key, second, ...)
  elseif key == job_key then
    remember_lane()
    return long_way(rare).redirect(command, key)
  elseif key == PC then
    -- BullMQ counts places in a priority anew when it has found none there. Jobs may be held.
    return 0
  end
  return call(command, key)
end

-- The lock of the job that is handed out.
local function on_SET(command, key, value, ...)
  token = value
  return call(command, key, value, ...)
end

-- What BullMQ writes of a job that it hands out, before it counts the start and reads the job.
local function start(key, field, asked, ...)
  local job = call('HGETALL', key)
  started, handed = key, job
  local last = #job
  if last == 0 then
    return
  end
  local times
  for i = 1, last, 2 do
    local field_name = job[i]
    if field_name == 'ats' then
      times = job[i + 1]
    elseif field_name == 'name' or field_name == 'data' then
      whole = true
    end
  end
  times = one_more(times)
  -- BullMQ notes when the worker asked, by its clock. What became due while the request was on its way has not been started
  -- before. Of a clock that is wrong nothing is made up for, since the worker goes by it to keep its lock.
  local at, t = asked, math.floor(now())
  local since = t - asked
  if since > 0 and since <= REQUEST_MS then
    at = string.format('%d', t)
  end
  -- Not HMSET, whose reply is a table.
  call('HSET', key, field, at, 'ats', times, ...)
  -- Whoever makes an object of the reply takes the last of two.
  job[last + 1], job[last + 2], job[last + 3], job[last + 4] = field, at, 'ats', times
  if ... then
    local more = { ... }
    for i = 1, #more do
      job[last + 4 + i] = more[i]
    end
  end
end

local function on_HMSET(command, key, first, ...)
  if first == 'processedOn' then
    return start(key, first, ...)
  elseif first == 'name' then
    return long_way(rare).redirect(command, key, first, ...)
  end
  return pass_on(command, key, first, ...)
end

local function on_HGETALL(command, key)
  if key == started then
    return handed
  end
  return pass_on(command, key)
end
