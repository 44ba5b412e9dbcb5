--[[
  One queue as this call sees it, and the clock.

  A call touches its own queue and, through parents and flows, sometimes others. Each is a
  context: its BullMQ key prefix (`base`, "P:Q:"), the stem of its lanes' keys (`own`, "P::q:Q"),
  and its state, read once and written once a call. The state lives in BullMQ's hash `meta`,
  which most of the scripts read anyway:

    lane:s  a byte, the layout of all that is kept, and five little-endian doubles: a third of the time of text
            n  jobs of priority 0 in the lanes, ready and held (what LLEN of wait would be)
            e  eligible jobs: those in lanes that are open (both priorities)
            v  virtual time of the fair queue: the start tag served last
            a  the tag given last to an account that arrived
            w  until when a worker has been woken for what became due
    lane:g  "groups" or "groups;lim;x"; present = a queue of lanes
            groups  limit groups that have ever had a lane here, joined by commas
            lim     bits: 1 an account has settings, 2 a group has default limits, 4 a group
                    has a total, 8 a plain worker serves the queue, so nothing is admitted;
                    none = no gate work at all
            x       some job has a cost or fails unrun, so jobs are looked at before they are
                    charged

  Keys computed from `own`, all under the hash tag of the prefix:
    :r:<group>  ready: account -> tag        :h:<group>  held: account -> tag
    :l:<lane>   list of ids, next one last   :p:<lane>   ids of priority > 0 by score
    :c          held lanes -> opening time   :s          lanes -> waiting since, open since (lower bounds)
    :t          account -> group served last :k          claims: job -> record
    :o          claims without a job -> seen since       :w  client ids of workers with lanes
    :x:c:<account>, :x:f:, :x:d:, :x:t:<tag>  indexes of completed, failed, delayed, tagged
  and from the prefix:
    ::queues  ::conf  ::accounts (with jobs or settings, by name)  ::a:<account>  ::win:<account>
    ::groups  ::g:<group>  ::gates:<group>  ::settings  ::waiting, ::w:<group>  lanes and queues that wait for a claim to end

  Redis runs the whole text at each call, so every function and every variable a function shares
  is built anew, and collected again: 70 functions took more time than all commands of an
  admission. So they come in layers: what every call needs, `reading` and `passing` (limits, claims),
  `gated` and `choosing` (limits and admission the long way), `idle` (nothing to run) and `rare`
  (the rest), all but the first built on use, and what a call knows is in one table. Lua looks for a variable of a function
  that still runs one by one among all that others share with it, but has those of functions around
  it at hand: hence a script is a function inside of the one that holds these names.
]]
local call = redis.call
-- At hand: a global is looked up by its name at each use.
local string, struct, math, tonumber, type, select, unpack = string, struct, math, tonumber, type, select, unpack

-- Virtual time of a job of cost 1 at weight 1. Tags beyond WHOLE are no longer counted in steps of one.
local JOB, WHOLE = 0x100000, 0x20000000000000

-- To be raised with every change of what is kept, in whichever key: processes of two versions leave each other's queues
-- alone.
local LAYOUT = 1
local OTHER_LAYOUT = 'LANES_LAYOUT the queue %s was written by another version of @fairlane/lanes (layout %d, this one has '
  .. '%d). Run the version that wrote it until the queue is empty or handed back (releaseQueue), then this one.'

-- Our arguments are the last ones, so that BullMQ's keep their places.
-- What most calls need is named here, so that the table need not grow four times.
local own = {
  time = table.remove(ARGV), base = table.remove(ARGV), own = KEYS[#KEYS], meta = nil, marker = nil,
  n = nil, e = nil, v = nil, a = nil, w = nil, g = nil, now = nil, next = nil, delayed = nil, opens = nil, dirty = nil,
  wake = nil, runs = nil, write_back = nil, idle = nil, unclaimed = nil,
  -- Job key -> lane: several BullMQ scripts delete the hash before the id.
  lane_of = {},
}
-- The other layers: functions that build them once a call.
local reading, passing, gated, choosing, idle, rare

-- The server's clock, in milliseconds with the microseconds as a fraction; read at most once.
local function now()
  if not own.now then
    if own.time ~= '' then
      own.now = tonumber(own.time)
    else
      local t = call('TIME')
      own.now = t[1] * 1000 + t[2] / 1000
    end
  end
  return own.now
end

local function read_state(c, state, groups)
  if state then
    if string.byte(state) ~= LAYOUT then
      error({ err = string.format(OTHER_LAYOUT, c.base, string.byte(state), LAYOUT) })
    end
    c.n, c.e, c.v, c.a, c.w = struct.unpack('<ddddd', state, 2)
  else
    c.n, c.e, c.v, c.a, c.w = 0, 0, 0, -1, 0
  end
  c.g = groups
  if groups and string.find(groups, '[,;]') then
    local lim, x
    c.g, lim, x = string.match(groups, '^([^;]*);?(%d*);?(%d*)$')
    c.lim = tonumber(lim)
    c.x = x ~= '' and x or nil
    c.many = string.find(c.g, ',', 1, true)
  end
end

local function load(c)
  if not c.v then
    local fields = call('HMGET', c.base .. 'meta', 'lane:s', 'lane:g')
    read_state(c, fields[1], fields[2])
  end
  return c
end

-- Lua writes a number with 17 digits, which takes as long as a command; nearly all tags are whole.
local function tag_text(tag)
  return tag % 1 == 0 and tag < WHOLE and string.format('%d', tag) or tag
end

-- Tells one idle worker, by the marker, when something becomes due that this call has met with.
local function tell(c)
  local due = c.next
  if c.total_opens and (not due or c.total_opens < due) then
    due = c.total_opens
  end
  if due then
    call('ZADD', c.marker or c.base .. 'marker', 'LT', string.format('%d', math.ceil(due)), '1')
  end
end

-- The end of a call: the state is written, and a marker wakes one worker where there is a job it
-- may have now. A script that stopped at one of its bounds says "again now".
local function save(c)
  if c.again or (c.wake and c.e and c.e > 0 and (not c.lim or c.lim < 4 or choosing().choose(c))) then
    call('ZADD', c.marker or c.base .. 'marker', '0', '0')
  end
  tell(c)
  if own.passing then
    own.passing.save_gates()
  end
  if c.dirty then
    call('HSET', c.meta or c.base .. 'meta', 'lane:s', struct.pack('<Bddddd', LAYOUT, c.n, c.e, c.v, c.a, c.w))
  end
end
