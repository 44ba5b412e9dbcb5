--[[
  Where BullMQ's commands go: `mine` by key, where the key is ours; `theirs` by command, on all other keys; what neither
  knows is for Redis. The commands on one job are joined: BullMQ reads and writes its hash in several, and a command
  costs Redis far more than its work. The same fields end up with the same values.

    finish  EXISTS, HMGET parentKey ..., HINCRBY atm, HSET returnvalue ...  ->  HMGET, HSET
            SCARD dependencies, ZCARD unsuccessful                          ->  EXISTS of both
    start   HMSET processedOn ..., HINCRBY ats, HGETALL                     ->  HGETALL, HMSET
]]
local mine, theirs = {}, {}

local function redirect(command, key, ...)
  local run_command = mine[key] or theirs[command] or call
  return run_command(command, key, ...)
end

-- A job with a parent: this run may touch any job of any queue, by any command.
local function touch_others()
  setmetatable(theirs, { __index = function() return long_way(rare).redirect end })
end

local function one_more(count)
  return count and string.format('%d', count + 1) or '1'
end

local function read_finishing(key)
  local fields = call('HMGET', key, 'parentKey', 'parent', 'deid', 'ln', 'atm')
  own.finishing = fields
  own.lane_of[key] = fields[4] or 'default:'
  if fields[1] then
    touch_others()
  end
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
function theirs.SCARD(command, key, ...)
  if own.asks_children then
    own.asks_children = call('EXISTS', key, KEYS[12] .. ':unsuccessful') == 0
    if own.asks_children then
      return 0
    end
  end
  return call(command, key, ...)
end

function theirs.ZCARD(command, key, ...)
  if own.asks_children then
    own.asks_children = false
    return 0
  end
  return call(command, key, ...)
end

function theirs.DEL(command, key, ...)
  if select('#', ...) > 0 then
    return long_way(rare).redirect(command, key, ...)
  end
  return call(command, key)
end

-- The lock of the job that is handed out.
function theirs.SET(command, key, ...)
  own.token = ...
  return call(command, key, ...)
end

-- A command on the job that is being started, after its HMSET.
local function starting(command, key)
  if command == 'HINCRBY' then
    return 1
  end
  mine[key] = nil
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

function theirs.HMSET(command, key, ...)
  local first = ...
  if first == 'processedOn' then
    own.starting = { ... }
    mine[key] = starting
    return
  elseif first == 'name' then
    return long_way(rare).redirect(command, key, ...)
  end
  return call(command, key, ...)
end
