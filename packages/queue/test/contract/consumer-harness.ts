import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createEffectRunner, createRedisLedger, type EffectLedger } from '@fairlane/ledger';
import type { JobImplementation } from '@fairlane/sdk';
import type { RedisInTests } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach } from 'vitest';
import type { JobView, Operations, Producer } from '../../src/index.js';
import { until } from '../support/until.js';
import { idOf, World } from '../support/world.js';
import { crashingContract, crashingJob } from './crashing-job.js';
import { DRAW, type ContractJob, type Crash, type Harness, type Seen } from './harness.js';
import { contractCatalogue } from './note-job.js';
import { Waits } from './waits.js';

const PROGRAM = fileURLToPath(new URL('crashing-process.ts', import.meta.url));
const LEASE_MS = 1_000;

/** Redis, the ledger, a producer and a worker, as they are deployed. Call once at the top of a test file. */
export function consumerHarness(redis: RedisInTests): Harness {
  const world = new World(redis);
  let ledger: EffectLedger;
  beforeEach(() => {
    ledger = createRedisLedger({ redis: redis.url, prefix: redis.prefix });
  });
  afterEach(async () => ledger.close());

  const connect = (implementation: JobImplementation) => {
    const catalogue = contractCatalogue(implementation.contract);
    return {
      producer: world.producer({ catalogue, effects: ledger }),
      operations: world.operations({ catalogue, effects: ledger }),
      consume: async (options = {}) => {
        const consumer = world.unstartedConsumer([implementation], {
          catalogue,
          effects: createEffectRunner({ ledger }),
          random: () => DRAW,
          ...options,
        });
        await consumer.start();
      },
    };
  };

  return {
    name: 'the consumer',

    async start(implementation, payload) {
      const waits = new Waits(Date.now);
      const { producer, operations, consume } = connect(waits.around(implementation));
      const accepted = await producer.enqueue(implementation.contract, payload);
      await consume();
      const key = accepted.outcome === 'refused' ? '' : accepted.key;
      return new ConsumedJob(idOf(accepted), key, waits, producer, operations);
    },

    async runCrashed(crashes) {
      const { producer, consume } = connect(crashingJob);
      const ids: string[] = [];
      for (const { payload } of crashes)
        ids.push(idOf(await producer.enqueue(crashingContract, payload as never)));
      await crashWorker(redis, crashes);
      await consume({ leaseMs: LEASE_MS });
      return Promise.all(ids.map(async (id) => look(await untilEnded(producer, id))));
    },
  };
}

class ConsumedJob implements ContractJob {
  readonly key: string;
  readonly #id: string;
  readonly #waits: Waits;
  readonly #producer: Producer;
  readonly #operations: Operations;

  constructor(id: string, key: string, waits: Waits, producer: Producer, operations: Operations) {
    this.#id = id;
    this.key = key;
    this.#waits = waits;
    this.#producer = producer;
    this.#operations = operations;
  }

  get waitsMs(): readonly number[] {
    return this.#waits.ms;
  }

  get elapsedMs(): number {
    return this.#waits.elapsedMs;
  }

  async untilEnd(): Promise<Seen> {
    return look(await untilEnded(this.#producer, this.#id));
  }

  async untilState(state: Seen['state']): Promise<Seen> {
    return look(await untilIn(this.#producer, this.#id, [state]));
  }

  // It does so by itself.
  async letTimePass(): Promise<void> {}

  async cancel(): Promise<void> {
    await this.#operations.cancel(this.#id);
  }

  async replay(): Promise<boolean> {
    return (await this.#operations.replay(this.#id)) === 'replayed';
  }

  async resolve(effect: string, outcome: 'applied' | 'not_applied', externalId?: string): Promise<void> {
    const verdict = { outcome, ...(externalId === undefined ? {} : { externalId }) };
    const answer = await this.#operations.resolveEffect(this.#id, effect, verdict);
    if (answer !== 'replayed') throw new Error(`it was ${answer}`);
  }
}

/** Runs the jobs in a process of its own until each stands at its point, then kills it. */
async function crashWorker({ url, prefix }: RedisInTests, crashes: readonly Crash[]): Promise<void> {
  const points = Object.fromEntries(
    crashes.map(({ payload, at }) => [(payload as { note: string }).note, at]),
  );
  const flags = ['--import', 'tsx', '--conditions', 'fairlane-source'];
  const child = spawn(
    process.execPath,
    [...flags, PROGRAM, url, prefix, String(LEASE_MS), JSON.stringify(points)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exit = once(child, 'exit');
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.split('at ').length > crashes.length) break;
  }
  child.kill('SIGKILL');
  await exit;
  if (output.split('at ').length <= crashes.length) throw new Error(`the worker ended early: ${output}`);
}

const ENDS: readonly Seen['state'][] = ['completed', 'dead', 'cancelled'];

async function untilEnded(producer: Producer, id: string): Promise<JobView> {
  return untilIn(producer, id, ENDS);
}

async function untilIn(producer: Producer, id: string, states: readonly Seen['state'][]): Promise<JobView> {
  let seen: JobView | undefined;
  try {
    return await until(
      `job ${id} is ${states.join(' or ')}`,
      async () => {
        seen = await producer.job(id);
        return seen && states.includes(seen.state) ? seen : undefined;
      },
      20_000,
    );
  } catch (error) {
    throw new Error(`it was ${JSON.stringify(seen)}`, { cause: error });
  }
}

function look({ state, result, attempts, lastError, effects }: JobView): Seen {
  return {
    state,
    result,
    attempts,
    code: lastError?.code,
    errorClass: lastError?.class,
    message: lastError?.message,
    effects: Object.fromEntries(effects.map((effect) => [effect.name, effect.state])),
  };
}
