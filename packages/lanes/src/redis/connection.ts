import { Redis, type RedisOptions } from 'ioredis';
import { ownKeyOfBase } from './keys.js';
import { ownScript, type ComposedScript } from '../scripts/lane-scripts.js';

/**
 * An ioredis client (left open), its options, with a `url` or without as BullMQ takes them, or a URL. Scripts need
 * ioredis' default shapes of replies.
 */
export type LaneConnection = Redis | (Omit<RedisOptions, 'replyMapping'> & { url?: string }) | string;

const OWN_COMMANDS = {
  account: 2,
  adopt: 1,
  audit: 1,
  'close-gate': 1,
  expired: 1,
  'forget-accounts': 1,
  'hand-back': 1,
  'job-page': 1,
  oldest: 1,
  queue: 1,
  'release-claim': 1,
  'set-account': 4,
  'set-fleet': 1,
  'set-group': 2,
  'set-limits': 1,
  'set-paused': 3,
  survey: 1,
  trim: 1,
  wake: 1,
} as const;

export type OwnCommand = keyof typeof OWN_COMMANDS;

interface Scripting {
  defineCommand(name: string, definition: { numberOfKeys: number; lua: string }): void;
}

type Callable = Record<string, (...args: (string | number)[]) => Promise<unknown>>;

function defined(command: OwnCommand): string {
  return `lanes:${command}`;
}

let scripts: readonly (readonly [string, ComposedScript])[] | undefined;

/** All of them by the names they are registered under; composed once a process, whatever the number of clients. */
function ownScripts(): readonly (readonly [string, ComposedScript])[] {
  scripts ??= (Object.keys(OWN_COMMANDS) as OwnCommand[]).map(
    (command) => [defined(command), ownScript(command, OWN_COMMANDS[command])] as const,
  );
  return scripts;
}

/** Registers our own commands with a client, once. */
export function defineOwnCommands(client: Scripting): void {
  for (const [name, { numberOfKeys, lua }] of ownScripts()) {
    if (!(name in client)) client.defineCommand(name, { numberOfKeys, lua });
  }
}

/** Runs one of our own commands; `keys` without the queue's own key, which goes last. */
export async function runOwn(
  client: object,
  command: OwnCommand,
  base: string,
  keys: readonly string[],
  args: readonly (string | number)[],
  time: string,
): Promise<unknown> {
  const run = (client as Callable)[defined(command)]!;
  return run.call(client, ...keys, ownKeyOfBase(base), ...args, base, time);
}

/** A client for `connection`, and whether it is ours to close. */
export function openClient(connection: LaneConnection): { client: Redis; owned: boolean } {
  if (connection instanceof Redis) {
    return { client: connection, owned: false };
  }
  const { url, ...options } = typeof connection === 'string' ? { url: connection } : connection;
  return { client: url === undefined ? new Redis(options) : new Redis(url, options), owned: true };
}
