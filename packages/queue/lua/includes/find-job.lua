--[[
  The queue a job is in: the one that the dedup memory names, else the first of `queues` that has it.
  Bound: as many queues as are declared.
  Returns queue, then what job-state.lua returns; nothing when there is no such job.
]]
local function findJob(entry, base, id, queues)
  if entry then
    local state, detail, untilMs = jobState(base .. entry.queue .. ':', id)
    if state then
      return entry.queue, state, detail, untilMs
    end
  end
  for _, queue in ipairs(queues) do
    local state, detail, untilMs = jobState(base .. queue .. ':', id)
    if state then
      return queue, state, detail, untilMs
    end
  end
end
