-- A run that fails has changed what it has, as in a call of several.
local ok, reply = pcall(run)
finish()
if not ok then
  return { err = type(reply) == 'table' and reply.err or tostring(reply) }
end
return reply
