--[[
  Dedup memory: one entry for each business key, in bucketed hashes (short values keep the compact encoding).

  An entry is a msgpack array { state, generation, digest, queue, endedAtMs }.
    state       'L' live, 'C' completed, 'D' dead, 'X' cancelled, 'P' purged (dead letter or job removed)
    generation  counts how often the key was accepted; a release must name the generation it belongs to
    endedAtMs   server time of the run's end; retention is counted from it
  While a job's hash exists, the hash and BullMQ's sets tell its state; `state` decides once the hash is gone.
]]
local function readEntry(bucketKey, field)
  local packed = redis.call('HGET', bucketKey, field)
  if not packed then
    return nil
  end
  local entry = cmsgpack.unpack(packed)
  return { state = entry[1], generation = entry[2], digest = entry[3], queue = entry[4], endedAtMs = entry[5] }
end
