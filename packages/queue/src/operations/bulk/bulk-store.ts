import { createHash, randomBytes } from 'node:crypto';
import type { FairlaneBackend } from '../../backend/fairlane-backend.js';
import type { ReplayingOperation } from '../../backend/outer-call.js';
import { PLAIN_SCRIPTS } from '../../scripts/commands.js';
import type {
  BulkFilter,
  BulkMatch,
  BulkOperation,
  BulkReplayOutcome,
  BulkReplayRequest,
  LeasedOperation,
} from './bulk-operation.js';

export const MAX_RUNNING = 10;
/** Ended operations are kept for a week. */
const KEPT_MS = 7 * 86_400_000;

/** Bulk operations as they stand in Redis: a hash each, and a set of those that run. */
export class BulkStore {
  readonly #backend: FairlaneBackend;
  readonly #prefix: string;
  readonly #running: string;

  /** @param backend any of the prefix. */
  constructor(backend: FairlaneBackend, prefix: string) {
    this.#backend = backend;
    this.#prefix = prefix;
    this.#running = `${prefix}::operations`;
  }

  /** What a request stands for that was made before, without the work of counting once more. */
  async earlier(request: BulkReplayRequest): Promise<BulkReplayOutcome | undefined> {
    if (request.idempotencyKey === undefined) return undefined;
    const client = await this.#backend.client;
    const { bodyHash, id = '' } = await client.hgetall(this.#idempotencyKey(request));
    if (bodyHash === undefined) return undefined;
    return bodyHash === hashOf(request) ? this.#repeated(id) : { outcome: 'conflict' };
  }

  async create(request: BulkReplayRequest, match: BulkMatch, nowMs: number): Promise<BulkReplayOutcome> {
    const { filter, perSecond, by, idempotencyKey } = request;
    const { matched, byCode, unresolved, until } = match;
    const id = randomBytes(16).toString('base64url');
    const key = this.#keyOf(id);
    const fields = {
      kind: 'replay',
      matched,
      byCode: JSON.stringify(byCode),
      unresolved,
      until,
      filter: JSON.stringify({ ...filter, until }),
      perSecond,
      by,
      createdAt: new Date(nowMs).toISOString(),
    };
    const hasKey = idempotencyKey !== undefined;
    const [outcome, other] = (await this.#run('bulkCreate', [
      this.#running,
      key,
      hasKey ? this.#idempotencyKey(request) : key,
      id,
      hasKey ? hashOf(request) : '',
      MAX_RUNNING,
      ...Object.entries(fields).flat(),
    ])) as ['created' | 'repeated' | 'conflict' | 'too_many', string];
    if (outcome === 'repeated') return this.#repeated(other);
    if (outcome !== 'created') return { outcome };
    return { outcome: 'started', operation: toOperation(id, { ...fields, state: 'running' }) };
  }

  async read(id: string): Promise<BulkOperation | undefined> {
    const fields = await (await this.#backend.client).hgetall(this.#keyOf(id));
    return fields['state'] === undefined ? undefined : toOperation(id, fields);
  }

  async cancel(id: string): Promise<{ operation: BulkOperation; wasRunning: boolean } | undefined> {
    const reply = (await this.#run('bulkCancel', [this.#keyOf(id), this.#running, id, KEPT_MS])) as
      | [number, ...string[]]
      | null;
    if (reply === null) return undefined;
    const [ended, ...flat] = reply;
    return { operation: toOperation(id, fieldsOf(flat)), wasRunning: ended === 1 };
  }

  async running(): Promise<string[]> {
    return (await this.#backend.client).smembers(this.#running);
  }

  /** Undefined when another runner has it, or it has ended. */
  async lease(id: string, leaseMs: number): Promise<LeasedOperation | undefined> {
    const reply = (await this.#run('bulkLease', [this.#keyOf(id), leaseMs])) as string[] | null;
    if (reply === null) return undefined;
    const { fence, filter = '{}', perSecond, cursor } = fieldsOf(reply);
    return {
      id,
      fence: Number(fence),
      filter: JSON.parse(filter) as BulkFilter,
      perSecond: Number(perSecond),
      cursor,
    };
  }

  /**
   * @param cursor behind the page, null at the end.
   * @param leaseMs 0 gives the operation up.
   * @returns false when it has ended or is another runner's.
   */
  async advance(
    { id, fence }: LeasedOperation,
    { cursor, failed, leaseMs }: { cursor: string | null; failed: number; leaseMs: number },
  ): Promise<boolean> {
    const args = [this.#keyOf(id), this.#running, id, fence, cursor ?? '', failed, leaseMs, KEPT_MS];
    return (await this.#run('bulkAdvance', args)) === 1;
  }

  /** Named in a replay, which then counts with the operation and only while this runner has it. */
  replaying({ id, fence }: LeasedOperation): ReplayingOperation {
    return { key: this.#keyOf(id), id, fence };
  }

  async #repeated(id: string): Promise<BulkReplayOutcome> {
    const operation = await this.read(id);
    return operation === undefined ? { outcome: 'conflict' } : { outcome: 'repeated', operation };
  }

  #keyOf(id: string): string {
    return `${this.#prefix}::operation:${id}`;
  }

  #idempotencyKey({ by, idempotencyKey }: BulkReplayRequest): string {
    const name = createHash('sha256')
      .update(JSON.stringify([by, idempotencyKey]))
      .digest('base64url');
    return `${this.#prefix}::operation-key:${name}`;
  }

  async #run(script: keyof typeof PLAIN_SCRIPTS, args: readonly (string | number)[]): Promise<unknown> {
    return (await this.#backend.client).runCommand(PLAIN_SCRIPTS[script].name, [...args]);
  }
}

function hashOf({ filter, perSecond }: BulkReplayRequest): string {
  const { account, name, tag, code, since, until } = filter;
  const text = JSON.stringify([account, name, tag, code, since, until, perSecond]);
  return createHash('sha256').update(text).digest('base64url');
}

function fieldsOf(flat: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) fields[flat[at] as string] = flat[at + 1] as string;
  return fields;
}

function toOperation(id: string, fields: Readonly<Record<string, string | number>>): BulkOperation {
  const number = (name: string) => Number(fields[name] ?? 0);
  return {
    id,
    kind: 'replay',
    state: fields['state'] as BulkOperation['state'],
    matched: number('matched'),
    byCode: JSON.parse(String(fields['byCode'])) as Record<string, number>,
    unresolved: number('unresolved'),
    until: number('until'),
    done: number('done'),
    failed: number('failed'),
    perSecond: number('perSecond'),
    by: String(fields['by']),
    createdAt: String(fields['createdAt']),
  };
}
