--[[
  Runs a BullMQ script that may hand out a job (moveToActive, moveToFinished, moveToDelayed) or
  that promotes delayed ones (retryJob); `bull` is the unmodified script.

  KEYS: BullMQ's, then the queue's own key. ARGV: BullMQ's (ARGV[2] is the worker's clock), then
  the queue's key prefix and a time for tests ('' = the server's).
  Returns BullMQ's reply and { next, now, fence }: when something becomes due next and the time
  it was computed at, on the server's clock (0 = not known), and the fence of the claim taken.
]]
local worker_now = tonumber(ARGV[2])
route_queue(own_context, worker_now)
route_finished(own_context)
if FINISHING then
  route_finished_job(KEYS[12])
end
local reply = bull(redirected, KEYS, ARGV)
save_all()
return reply or 0, {
  own_context.next and math.ceil(own_context.next) or 0,
  now_ms and floor(now_ms) or 0,
  own_context.fence or 0,
}
