--[[
  One bounded step of the audit of one queue.

  KEYS[1] the queue's own key.
  ARGV[1] cursor: JSON of { claims, active, group, held } or ''  [2] batch size
  [3] patience in ms with a claim whose job is gone  [4] '1' = count the lanes too,
  then the key prefix and a time for tests.
  Reply: the next cursor ('' = the queue is done), claims freed, claims added, counts corrected,
  lanes opened.
]]
local all = rare()
local batch, patience = tonumber(ARGV[2]), tonumber(ARGV[3])
local at = ARGV[1] ~= '' and cjson.decode(ARGV[1]) or { claims = '0', active = 0, group = 1, held = 0 }
local first = ARGV[1] == ''
load(own)
local freed, added, corrected, opened = 0, 0, 0, 0

if first and not choosing().is_refused(own) then
  all.absorb(own)
end
local claims = call('EXISTS', OWN .. ':k') == 1
if not own.g and not claims then
  -- The queue has been obliterated and its last claim has ended.
  call('DEL', OWN .. ':o')
  call('SREM', all.PREFIX .. '::queues', all.queue_of(own))
  return { '', 0, 0, 0, 0 }
end
own.lim = own.lim or (claims and 1 or nil)
if own.lim then
  if first or at.claims ~= '0' then
    at.claims, freed = all.audit_claims(own, at.claims, batch, patience)
  end
  if first or at.active ~= 0 then
    at.active, added = all.audit_active(own, at.active, batch)
  end
  local groups = choosing().groups_of(own)
  if groups[at.group] then
    -- What has become due this moment is no repair.
    all.open_due(own)
    at.held, opened, corrected = all.audit_held(own, groups[at.group], at.held, batch)
    if at.held == 0 then
      at.group = at.group + 1
    end
  end
  at.more = at.claims ~= '0' or at.active ~= 0 or groups[at.group] ~= nil
end
if ARGV[4] == '1' and first then
  corrected = corrected + all.audit_counts(own)
end
if own.e > 0 then
  own.wake = true
end
all.save_others()
save(own)
local cursor = ''
if at.more then
  at.more = nil
  cursor = cjson.encode(at)
end
return { cursor, freed, added, corrected, opened }
