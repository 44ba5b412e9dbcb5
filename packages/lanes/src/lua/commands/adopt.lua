--[[
  Takes a plain BullMQ queue into lanes, a batch a call: waiting and prioritized jobs enter their
  lanes, delayed and finished ones the indexes of their accounts. Active ones learn their lane.

  KEYS[1] the queue's own key. ARGV[1] batch  [2] cursor ('' to begin), then the key prefix and a
  time for tests. Reply: the next cursor ('' = done), jobs moved.
]]
local all = rare()
local batch = tonumber(ARGV[1])
local phase, offset = string.match(ARGV[2], '^(%a+):(%d+)$')
phase, offset = phase or 'active', tonumber(offset) or 0
load(own)
if not own.g then
  all.add_group(own, 'default')
end
local moved = 0
local following = { active = 'wait', wait = 'prioritized', prioritized = 'delayed', delayed = 'failed', failed = 'completed' }

if phase == 'wait' then
  local ids = call('LRANGE', BASE .. 'wait', -batch, -1)
  for i = #ids, 1, -1 do
    if call('EXISTS', BASE .. ids[i]) == 1 then
      all.push(own, all.settle_in(own, ids[i]), 'LPUSH', ids[i])
      moved = moved + 1
    end
  end
  call('LTRIM', BASE .. 'wait', 0, -batch - 1)
  offset = 0
  if #ids < batch then
    phase = following[phase]
  end
elseif phase == 'active' then
  local ids = call('LRANGE', BASE .. 'active', offset, offset + batch - 1)
  for _, id in ipairs(ids) do
    all.settle_in(own, id)
  end
  offset = offset + batch
  if #ids < batch then
    phase, offset = following[phase], 0
  end
else
  local page = call('ZRANGE', BASE .. phase, offset, offset + batch - 1, 'WITHSCORES')
  for i = 1, #page, 2 do
    local id, score = page[i], tonumber(page[i + 1])
    local lane = all.settle_in(own, id)
    if phase == 'prioritized' then
      all.push_prioritized(own, lane, score, id)
    elseif phase == 'delayed' then
      all.index_delayed(own, lane, id, score)
    else
      all.unindex_finished(own, phase, lane, id)
      all.index_finished(own, phase, lane, id, score)
    end
    moved = moved + 1
  end
  offset = offset + batch
  if #page < 2 * batch then
    phase, offset = following[phase], 0
  end
end
own.wake = true
all.save_others()
save(own)
return { phase and (phase .. ':' .. offset) or '', moved }
