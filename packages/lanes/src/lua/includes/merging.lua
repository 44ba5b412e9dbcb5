--[[
  BullMQ reads and writes the hash of a job in several commands, and a command costs Redis far more than its work.
  Those that follow each other are joined; the same fields end up with the same values.

    finish  EXISTS, HMGET parentKey ..., HINCRBY atm, HSET returnvalue ...  ->  HMGET, HSET
            SCARD dependencies, ZCARD unsuccessful                          ->  EXISTS of both
    start   HMSET processedOn ..., HINCRBY ats, HGETALL                     ->  HGETALL, HMSET
]]
local function one_more(count)
  return count and string.format('%d', count + 1) or '1'
end

local function read_finishing(key)
  local fields = call('HMGET', key, 'parentKey', 'parent', 'deid', 'ln', 'atm')
  own.finishing = fields
  own.lane_of[key] = fields[4] or 'default:'
  own.parent = fields[1]
  return fields
end

-- A command on the job that is being finished.
local function finishing(command, key, ...)
  if command == 'EXISTS' then
    local fields = read_finishing(key)
    own.asks_children = true
    if fields[4] or fields[5] then
      return 1
    end
  elseif command == 'HMGET' then
    own.asks_children = false
    if ... == 'parentKey' then
      return own.finishing or read_finishing(key)
    end
  elseif command == 'HINCRBY' then
    own.attempts = one_more(own.finishing[5])
    return own.attempts
  elseif command == 'HSET' and own.attempts then
    return call('HSET', key, 'atm', own.attempts, ...)
  elseif command == 'DEL' then
    return long_way(rare).redirect(command, key, ...)
  end
  return call(command, key, ...)
end

-- SCARD and ZCARD of what a parent waits for.
local function children(command, key, ...)
  if command == 'SCARD' then
    own.asks_children = call('EXISTS', key, KEYS[12] .. ':unsuccessful') == 0
    if own.asks_children then
      return 0
    end
  elseif command == 'ZCARD' then
    own.asks_children = false
    return 0
  end
  return call(command, key, ...)
end

-- A command on the job that is being started, after its HMSET.
local function starting(command, key)
  if command == 'HINCRBY' then
    return 1
  end
  own.started = nil
  local job = call(command, key)
  local last = #job
  if last > 0 then
    local times
    for i = 1, last, 2 do
      if job[i] == 'ats' then
        times = job[i + 1]
        break
      end
    end
    local fields = own.starting
    fields[#fields + 1], fields[#fields + 2] = 'ats', one_more(times)
    call('HMSET', key, unpack(fields))
    -- Whoever makes an object of the reply takes the last of two.
    for i = 1, #fields do
      job[last + i] = fields[i]
    end
  end
  return job
end
