/**
 * Which function each command of BullMQ's text calls, settled when a script is composed.
 *
 * BullMQ writes `rcall("HMGET", key, ...)` everywhere. To ask at each of them whose key it is takes a sixth of the
 * time of a busy script, so the name of the command decides beforehand: ours where we have a handler of it,
 * `function on.HMGET(command, key, ...)`, Redis itself where it cannot concern a lane, and `rcall`, which is ours
 * too and asks, for all others. Nothing but the name of the function changes.
 */
const CALL = /\brcall\((["'])([A-Z]+)\1/g;

/** Commands on strings, sets and streams, and some that name no key: a lane's keys are lists, hashes and sorted sets. */
const REDIS_ITSELF = new Set(
  'GET SET INCR INCRBY PTTL PEXPIRE PEXPIREAT PERSIST SADD SREM SCARD SMEMBERS SISMEMBER XADD XLEN XTRIM TIME'.split(
    ' ',
  ),
);

/** Names of the commands that a Lua text of ours has handlers of. */
export function handledCommands(lua: string): Set<string> {
  return new Set([...lua.matchAll(/^function on\.([A-Z]+)\(/gm)].map((match) => match[1]!));
}

/** A text of BullMQ's with its commands bound to functions, and Lua that gives handlers the names it calls them by. */
export interface BoundText {
  readonly text: string;
  readonly names: string;
}

export function bindCommands(content: string, handled: ReadonlySet<string>): BoundText {
  const called = new Set<string>();
  const text = content.replaceAll(CALL, (whole, quote: string, command: string) => {
    if (handled.has(command)) {
      called.add(command);
      return `on_${command}(${quote}${command}${quote}`;
    }
    return REDIS_ITSELF.has(command) ? `call(${quote}${command}${quote}` : whole;
  });
  const list = (prefix: string): string => [...called].map((name) => prefix + name).join(', ');
  return { text, names: called.size > 0 ? `local ${list('on_')} = ${list('on.')}` : '' };
}
