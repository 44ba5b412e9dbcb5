-- Redis runs Lua 5.1 with these; nothing of ours is global.
std = 'lua51'
read_globals = { 'redis', 'cjson', 'cmsgpack', 'struct', 'bit' }
-- Scripts take their arguments off the end.
globals = { 'KEYS', 'ARGV' }
-- Formatters and people look after these; lists of exports are put together by the program.
max_line_length = false
ignore = {
  -- BullMQ's text gets a `redis`, KEYS and ARGV of ours; a layer of the lanes builds another first.
  '432/redis', '432/KEYS', '432/ARGV', '431/reading', '431/passing', '431/gated', '431/choosing',
  -- Short names at the top of a layer, for all that is put into it.
  '211/BASE', '211/OWN', '211/SHARED', '211/floor', '211/huge', '211/lane_of_key',
}
-- What the wrapper of a BullMQ script is given: see packages/queue/src/scripts/lua-script.ts.
files['queue'].read_globals = { 'inner', 'outerKeys', 'outerArgs' }
-- An include with one function more than each script needs.
files['ledger'].ignore = { '211/isFence' }
-- The only command that needs nothing of what is put in front of all.
files['lanes/expired.lua'].ignore = { '211' }
-- What moveToFinished does besides is left in the others, behind `if false`.
files['lanes/moveToActive.lua'].ignore = { '511' }
files['lanes/moveToDelayed.lua'].ignore = { '511' }
files['lanes/retryJob.lua'].ignore = { '511' }
