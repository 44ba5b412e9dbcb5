--[[ Stores a dedup entry; see read-entry.lua for its fields. ]]
local function writeEntry(bucketKey, field, entry)
  local packed = cmsgpack.pack({ entry.state, entry.generation, entry.digest, entry.queue, entry.endedAtMs })
  redis.call('HSET', bucketKey, field, packed)
end
