/**
 * Which function each command of BullMQ's text calls, settled when a script is composed.
 *
 * BullMQ writes `rcall("HMGET", key, ...)` everywhere, scripts around its own `redis.call("HMGET", key, ...)`. To ask at each of them whose key it is takes a sixth of the
 * time of a busy script, so the name of the command decides beforehand: ours where we have a handler of it,
 * `on_HMGET(command, key, ...)`, Redis itself where it cannot concern a lane, and `rcall`, which is ours
 * too and asks, for all others. Nothing but the name of the function changes.
 */
const CALL = /\b(?:rcall|redis\.call)\((["'])([A-Z]+)\1/g;

/** Commands on strings, sets and streams, and some that name no key: a lane's keys are lists, hashes and sorted sets. */
const REDIS_ITSELF = new Set(
  'GET SET INCR INCRBY PTTL PEXPIRE PEXPIREAT PERSIST SADD SREM SCARD SMEMBERS SISMEMBER XADD XLEN XTRIM TIME'.split(
    ' ',
  ),
);

/** Names of the commands that a Lua text of ours has handlers of. */
export function handledCommands(lua: string): Set<string> {
  return new Set([...lua.matchAll(/^local function on_([A-Z]+)\(/gm)].map((match) => match[1]!));
}

/** BullMQ's text, or one around it, with its commands bound to functions. */
export function bindCommands(content: string, handled: ReadonlySet<string>): string {
  return content.replaceAll(CALL, (whole, quote: string, command: string) => {
    if (handled.has(command)) {
      return `on_${command}(${quote}${command}${quote}`;
    }
    return REDIS_ITSELF.has(command) ? `call(${quote}${command}${quote}` : whole;
  });
}
