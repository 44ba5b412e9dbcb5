--[[
  Dedup memory: one entry for each business key, in bucketed hashes (short values keep the compact encoding).

  An entry is a msgpack array { state, generation, digest, queue, endedAtMs }.
    state       'L' the job's hash tells, 'C' completed and trimmed, 'X' cancelled and trimmed, 'P' purged
    generation  counts how often the key was accepted; a release must name the generation it belongs to
    endedAtMs   when the run ended; retention is counted from it
  While a job's hash exists, the hash and the queue's sets tell its state, so that the end of a run costs nothing here.
  Whoever takes the hash away writes first what must outlive it.
]]
local function readEntry(bucketKey, field)
  local packed = redis.call('HGET', bucketKey, field)
  if not packed then
    return nil
  end
  local entry = cmsgpack.unpack(packed)
  return { state = entry[1], generation = entry[2], digest = entry[3], queue = entry[4], endedAtMs = entry[5] }
end
