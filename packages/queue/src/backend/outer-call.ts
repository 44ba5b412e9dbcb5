import type { IRedisTransaction, RedisClient } from 'bullmq';
import { dedupKey } from '../dedup/dedup-key.js';
import type { WrappedCommand } from '../scripts/commands.js';

export type Client = RedisClient | IRedisTransaction;
export type Scalar = string | number;

/** What one of our scripts needs beside the arguments of the BullMQ command that it wraps. */
export interface OuterCall {
  readonly command: WrappedCommand;
  readonly keys: readonly string[];
  readonly args: readonly Scalar[];
}

/** An outer call travels on the client that BullMQ hands through to `execCommand`, so that its own methods stay in use. */
const OUTER = Symbol('outer call');
/** The client that such a call goes to. */
const CARRIED = Symbol('client');

/** Places in the arguments of BullMQ's commands, keys first; the lanes check at start that those have not changed. */
const REMOVED_ID = 2;
const REPLAYED_ID = 9;

/** Stands for the client in one command, which uses nothing else of it: one that inherits from it costs more to make. */
export function withCall(client: Client, call: OuterCall): Client {
  const runCommand = (name: string, args: unknown[]): unknown => client.runCommand(name, args);
  return { [OUTER]: call, [CARRIED]: client, runCommand } as unknown as Client;
}

/** The client itself, without the call that it carries. */
export function carriedClient(client: Client): Client {
  return (client as { [CARRIED]?: Client })[CARRIED] ?? client;
}

/** The outer call of a command, or nothing for one that none of our scripts wraps. */
export function outerCallOf(
  client: Client,
  commandName: string,
  args: readonly unknown[],
  redisPrefix: string,
): OuterCall | undefined {
  const call = (client as { [OUTER]?: OuterCall })[OUTER];
  if (call !== undefined && call.command.endsWith(`:${commandName}`)) return call;
  // Whoever removes or replays a job, Bull Board or BullMQ itself, keeps the dedup memory right.
  if (commandName === 'removeJob') return removalCall(redisPrefix, String(args[REMOVED_ID]));
  if (commandName === 'reprocessJob') return replayCall(redisPrefix, String(args[REPLAYED_ID]));
  return undefined;
}

/** @param diedAtMs the run that died then, and is dead still; left out: whichever is there. */
export function removalCall(redisPrefix: string, id: string, diedAtMs?: number): OuterCall {
  const { bucketKey, field } = dedupKey(redisPrefix, id);
  return { command: 'remove:removeJob', keys: [bucketKey], args: [field, diedAtMs ?? ''] };
}

/** The bulk operation that a change belongs to, and the fence of its runner. */
export interface ActingOperation {
  readonly key: string;
  readonly id: string;
  readonly fence: number;
}

export function replayCall(
  redisPrefix: string,
  id: string,
  diedAtMs?: number,
  operation?: ActingOperation,
): OuterCall {
  const { bucketKey, field } = dedupKey(redisPrefix, id);
  return {
    command: 'replay:reprocessJob',
    keys: [bucketKey, operation?.key ?? bucketKey],
    args: [field, diedAtMs ?? '', operation?.id ?? '', operation?.fence ?? ''],
  };
}
