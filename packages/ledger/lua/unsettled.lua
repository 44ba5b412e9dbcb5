--[[
  Of jobs, those with effects whose outcome is open.

  KEYS
    hashes of the jobs

  Bound: the caller's number of jobs, by the effects of each; results are not read.
  Reply  rows { place of the job among the keys, from 0, state of an open effect, ... }, none for other jobs
]]
local rows = {}
for at, job in ipairs(KEYS) do
  local row = { at - 1 }
  for _, field in ipairs(redis.call('HKEYS', job)) do
    if field:sub(1, 2) == 'e:' then
      local state = cjson.decode(redis.call('HGET', job, field)).state
      if state == 'started' or state == 'unknown' then
        row[#row + 1] = state
      end
    end
  end
  if row[2] then
    rows[#rows + 1] = row
  end
end
return rows
