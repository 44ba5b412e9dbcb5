import { createHash, randomBytes } from 'node:crypto';
import type { FairlaneBackend } from '../../backend/fairlane-backend.js';
import type { ActingOperation } from '../../backend/outer-call.js';
import { pairsOf } from '../../redis/replies.js';
import { PLAIN_SCRIPTS } from '../../scripts/commands.js';
import type { BulkOperation, BulkOutcome, LeasedOperation, NewOperation } from './bulk-operation.js';
import { toFields, toLeased, toOperation } from './stored-operation.js';

export const MAX_RUNNING = 10;
/** Ended operations are kept for a week. */
const KEPT_MS = 7 * 86_400_000;

/** A request without what was found when it was made: the same request again is the same operation. */
type Request = Omit<NewOperation, 'match'>;

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
  async earlier<O extends BulkOperation>(request: Request): Promise<BulkOutcome<O> | undefined> {
    if (request.idempotencyKey === undefined) return undefined;
    const client = await this.#backend.client;
    const { bodyHash, id = '' } = await client.hgetall(this.#idempotencyKey(request));
    if (bodyHash === undefined) return undefined;
    return bodyHash === hashOf(request) ? this.#repeated(id) : { outcome: 'conflict' };
  }

  async create<O extends BulkOperation>(operation: NewOperation, nowMs: number): Promise<BulkOutcome<O>> {
    const id = randomBytes(16).toString('base64url');
    const key = this.#keyOf(id);
    const fields = toFields(operation, nowMs);
    const hasKey = operation.idempotencyKey !== undefined;
    const [outcome, other] = (await this.#run('bulkCreate', [
      this.#running,
      key,
      hasKey ? this.#idempotencyKey(operation) : key,
      id,
      hasKey ? hashOf(operation) : '',
      MAX_RUNNING,
      ...Object.entries(fields).flat(),
    ])) as ['created' | 'repeated' | 'conflict' | 'too_many', string];
    if (outcome === 'repeated') return this.#repeated(other);
    if (outcome !== 'created') return { outcome };
    // Of the kind that was asked for.
    return { outcome: 'started', operation: toOperation(id, { ...fields, state: 'running' }) as O };
  }

  async read(id: string): Promise<BulkOperation | undefined> {
    const fields = await (await this.#backend.client).hgetall(this.#keyOf(id));
    return fields['state'] === undefined ? undefined : toOperation(id, fields);
  }

  /** Those that have not ended, the newest first. */
  async readRunning(): Promise<BulkOperation[]> {
    const operations = await Promise.all((await this.running()).map(async (id) => this.read(id)));
    return operations
      .filter((operation) => operation !== undefined)
      .filter(({ state }) => state === 'running')
      .toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  }

  async cancel(id: string): Promise<{ operation: BulkOperation; wasRunning: boolean } | undefined> {
    const reply = (await this.#run('bulkCancel', [this.#keyOf(id), this.#running, id, KEPT_MS])) as
      | [number, ...string[]]
      | null;
    if (reply === null) return undefined;
    const [ended, ...flat] = reply;
    return { operation: toOperation(id, Object.fromEntries(pairsOf(flat))), wasRunning: ended === 1 };
  }

  async running(): Promise<string[]> {
    return (await this.#backend.client).smembers(this.#running);
  }

  /** Undefined when another runner has it, or it has ended. */
  async lease(id: string, leaseMs: number): Promise<LeasedOperation | undefined> {
    const reply = (await this.#run('bulkLease', [this.#keyOf(id), leaseMs])) as string[] | null;
    return reply === null ? undefined : toLeased(id, Object.fromEntries(pairsOf(reply)));
  }

  /**
   * @param cursor behind the page, null at the end.
   * @param leaseMs 0 gives the operation up.
   * @returns false when it has ended or is another runner's.
   */
  async advance(
    { id, fence }: Pick<LeasedOperation, 'id' | 'fence'>,
    { cursor, failed, leaseMs }: { cursor: string | null; failed: number; leaseMs: number },
  ): Promise<boolean> {
    const args = [this.#keyOf(id), this.#running, id, fence, cursor ?? '', failed, leaseMs, KEPT_MS];
    return (await this.#run('bulkAdvance', args)) === 1;
  }

  /** Named in a change of a job, which then counts with the operation and only while this runner has it. */
  acting({ id, fence }: Pick<LeasedOperation, 'id' | 'fence'>): ActingOperation {
    return { key: this.#keyOf(id), id, fence };
  }

  async #repeated<O extends BulkOperation>(id: string): Promise<BulkOutcome<O>> {
    const operation = await this.read(id);
    // The hash of the request names its kind.
    return operation === undefined
      ? { outcome: 'conflict' }
      : { outcome: 'repeated', operation: operation as O };
  }

  #keyOf(id: string): string {
    return `${this.#prefix}::operation:${id}`;
  }

  #idempotencyKey({ by, idempotencyKey }: Pick<Request, 'by' | 'idempotencyKey'>): string {
    const name = createHash('sha256')
      .update(JSON.stringify([by, idempotencyKey]))
      .digest('base64url');
    return `${this.#prefix}::operation-key:${name}`;
  }

  async #run(script: keyof typeof PLAIN_SCRIPTS, args: readonly (string | number)[]): Promise<unknown> {
    return (await this.#backend.client).runCommand(PLAIN_SCRIPTS[script].name, [...args]);
  }
}

function hashOf({ kind, filter, perSecond }: Request): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const inOrder = given.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([kind, inOrder, perSecond]))
    .digest('base64url');
}
