--[[
  One queue as this call sees it, and the clock.

  A call touches its own queue and, through parents and flows, sometimes others. Each is a
  context: its BullMQ key prefix (`base`, "P:Q:"), the key its lanes live under (`own`,
  "P::q:Q") and the state hash at that key, read once and written once a call:

    v    virtual time of the fair queue: the start tag served last
    n    jobs of priority 0 in the lanes, ready and held (what LLEN of BullMQ's wait would be)
    e    eligible jobs: those in lanes that are open (both priorities)
    g    limit groups that have ever had a lane here, joined by commas (group names hold none)
    lim  bits: 1 an account has settings, 2 a group has default limits, 4 a group has a total;
         absent = no gate work at all
    f    the last fence given to a claim

  Keys computed from `own`, all under the hash tag of the prefix:
    :r:<group>  ready: account -> tag        :h:<group>  held: account -> tag
    :l:<lane>   list of ids, next one last   :p:<lane>   ids of priority > 0 by score
    :c          closed lanes -> opening time :s          lanes -> waiting since (lower bound)
    :t          account -> group served last :k          claims: job -> record
    :x:c:<account>, :x:f:, :x:d:, :x:t:<tag>  indexes of completed, failed, delayed, tagged
  and from the prefix:
    ::queues  ::a:<account>  ::g:<group>  ::w:<lane> (queues that wait for a claim to end)
]]
local call = redis.call
local floor, huge = math.floor, math.huge

-- The caller's arguments sit at the end, so that BullMQ's own keep their places.
local GIVEN_TIME = table.remove(ARGV)
local BASE = table.remove(ARGV)
local OWN = KEYS[#KEYS]

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

local prefix_of_call
local function prefix()
  if not prefix_of_call then
    prefix_of_call = string.match(BASE, '^(.*):[^:]*:$')
  end
  return prefix_of_call
end

local contexts = {}

local function load(c)
  if c.v then
    return c
  end
  local s = call('HMGET', c.own, 'v', 'n', 'e', 'g', 'lim', 'f')
  c.v = tonumber(s[1]) or 0
  c.n = tonumber(s[2]) or 0
  c.e = tonumber(s[3]) or 0
  c.lim = tonumber(s[5])
  c.f = tonumber(s[6]) or 0
  c.g = s[4]
  c.groups = {}
  if c.g then
    for g in string.gmatch(c.g, '[^,]+') do
      c.groups[#c.groups + 1] = g
    end
  end
  return c
end

local function context(base, own)
  local c = contexts[base]
  if not c then
    c = { base = base, own = own }
    contexts[base] = c
  end
  return c
end

local own_context = context(BASE, OWN)
