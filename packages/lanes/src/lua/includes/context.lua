--[[
  One queue as this call sees it, and the clock.

  A call touches its own queue and, through parents and flows, sometimes others. Each is a
  context: its BullMQ key prefix (`base`, "P:Q:"), the stem of its lanes' keys (`own`, "P::q:Q"),
  and its state, read once and written once a call. The state lives in BullMQ's hash `meta`,
  which most of the scripts read anyway:

    lane:v    virtual time of the fair queue: the start tag served last
    lane:n    jobs of priority 0 in the lanes, ready and held (what LLEN of wait would be)
    lane:e    eligible jobs: those in lanes that are open (both priorities)
    lane:g    limit groups that have ever had a lane here, joined by commas (names hold none);
              present = a queue of lanes
    lane:lim  bits: 1 an account has settings, 2 a group has default limits, 4 a group has a
              total; absent = no gate work at all
    lane:f    the last fence given to a claim
    lane:x    some job has a cost or fails unrun, so jobs are looked at before they are charged

  Keys computed from `own`, all under the hash tag of the prefix:
    :r:<group>  ready: account -> tag        :h:<group>  held: account -> tag
    :l:<lane>   list of ids, next one last   :p:<lane>   ids of priority > 0 by score
    :c          held lanes -> opening time   :s          lanes -> waiting since (lower bound)
    :t          account -> group served last :k          claims: job -> record
    :o          claims without a job -> seen since       :w  client ids of workers with lanes
    :x:c:<account>, :x:f:, :x:d:, :x:t:<tag>  indexes of completed, failed, delayed, tagged
  and from the prefix:
    ::queues  ::conf  ::accounts (all ever seen, by name)  ::a:<account>  ::win:<account>
    ::g:<group>  ::w:<lane>, ::w:<group>  queues that wait for a claim to end

  Redis runs the whole text at each call, and building a closure costs 0.3 to 0.5 us: 70 of them
  took more than all commands of an admission. So the functions come in three layers: what every
  call needs, `gated` (limits, several groups), `rare` (the rest), the latter two built on use.
]]
local call = redis.call
local floor, huge = math.floor, math.huge

-- Our arguments are the last ones, so that BullMQ's keep their places; a script around this one
-- has put its own behind ours and taken them off again.
local GIVEN_TIME = table.remove(ARGV)
local BASE = table.remove(ARGV)
local OWN = KEYS[#KEYS]

local SHARED = 'default:'
local own = { base = BASE, own = OWN }
-- Job key -> lane, for the call: several BullMQ scripts delete the hash before the id.
local lane_of_key = {}
-- The second and third layer: functions that build them once, and what they have built.
local gated, rare
local gated_built, rare_built

-- The server's clock, in milliseconds with the microseconds as a fraction; read at most once.
local now_ms
local function now()
  if not now_ms then
    if GIVEN_TIME ~= '' then
      now_ms = tonumber(GIVEN_TIME)
    else
      local t = call('TIME')
      now_ms = t[1] * 1000 + t[2] / 1000
    end
  end
  return now_ms
end

local function read_state(c, fields, from)
  c.v = tonumber(fields[from]) or 0
  c.n = tonumber(fields[from + 1]) or 0
  c.e = tonumber(fields[from + 2]) or 0
  c.g = fields[from + 3]
  c.lim = tonumber(fields[from + 4])
  c.x = fields[from + 5]
  c.many = c.g and string.find(c.g, ',', 1, true)
end

local function load(c)
  if not c.v then
    read_state(c, call('HMGET', c.base .. 'meta', 'lane:v', 'lane:n', 'lane:e', 'lane:g', 'lane:lim', 'lane:x'), 1)
  end
  return c
end

-- The end of a call: the state is written, and a marker wakes one worker where there is a job it
-- may have now. A script that stopped at one of its bounds says "again now".
local function save(c)
  if c.again or (c.wake and c.e and c.e > 0 and (not c.lim or c.lim < 4 or gated().choose(c))) then
    call('ZADD', c.base .. 'marker', 0, '0')
  end
  if c.moved then
    call('HSET', c.base .. 'meta', 'lane:n', c.n, 'lane:e', c.e, 'lane:v', c.v)
  elseif c.dirty then
    call('HSET', c.base .. 'meta', 'lane:n', c.n, 'lane:e', c.e)
  end
end
