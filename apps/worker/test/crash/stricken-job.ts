import { setTimeout as delay } from 'node:timers/promises';
import { catalogue, outreachSend } from '@fairlane/jobs/contracts';
import { createOperations, createProducer, type JobView, type Operations } from '@fairlane/queue';
import { startFaultProxy } from '@fairlane/testkit';
import type { AccountKind, ReferenceReport, Sandbox } from '@fairlane/testkit/sandbox';
import { PATIENCE_MS } from '@fairlane/testkit/vitest';
import { expect } from 'vitest';
import { startWorker, type WorkerProcess } from '../support/worker-process.js';

const LEAD = 'lead-of-the-crash';

/** Where the first worker is struck, told by what it has sent or is about to hear. */
const POINTS = {
  /** Redis has handed the job out; the worker has not heard of it. */
  'after admission': { wire: 'redis', direction: 'toClient', marker: LEAD },
  /** The request is written; the platform has not seen it. */
  'before perform': { wire: 'gateway', direction: 'toServer', marker: 'POST /accounts/' },
  /** The platform has applied the message; the worker has not seen its answer. */
  'after send': { wire: 'gateway', direction: 'toClient', marker: 'HTTP/1.1 200' },
  /** The worker has the answer; the ledger has not been told. */
  'before record': { wire: 'redis', direction: 'toServer', marker: '"id":"msg_' },
  /** The ledger knows; BullMQ has not been told. */
  'before finish': { wire: 'redis', direction: 'toServer', marker: '"messageId":"msg_' },
} as const;

export interface Stage {
  redis: { url: string; port: number };
  sandbox: Sandbox;
}

export interface Strike {
  point: keyof typeof POINTS;
  kind: AccountKind;
  /** `stop`: SIGSTOP until another worker has ended the job; then it goes on. */
  by: 'kill' | 'stop';
}

export interface Outcome {
  /** Of the job when all is over. */
  view: JobView;
  /** What the platform saw of it; undefined when it saw nothing. */
  seen: ReferenceReport | undefined;
  /** From when another worker was there to the end of the job. */
  endedAfterMs: number;
  /** What a worker that was stopped did with its effects once it went on. */
  effectsAfterStop: Record<string, number>;
}

const LEASE_MS = 5_000;
/** The lease, the search for stalled jobs, the time until the platform's "no" is believed, and a busy machine. */
const END_MS = 120_000;

/**
 * Strikes the shipped worker in the middle of one job; another one then ends that job. Strikes share servers
 * but no keys and no account, so they may go on side by side.
 */
export async function strike({ redis, sandbox }: Stage, { point, kind, by }: Strike): Promise<Outcome> {
  const name = `${by}-${point}-${kind}`.replaceAll(' ', '-');
  const gatewayPort = Number(new URL(sandbox.url).port);
  const wires = {
    redis: await startFaultProxy({ target: { port: redis.port } }),
    gateway: await startFaultProxy({ target: { port: gatewayPort } }),
  };
  const connection = { redis: redis.url, prefix: `{${name}}`, catalogue, timeoutMs: PATIENCE_MS };
  const producer = createProducer(connection);
  const operations = createOperations(connection);
  const startAt = async (redisPort: number, platformPort: number) =>
    startWorker('shipped', {
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      OUTREACH_GATEWAY_URL: `http://127.0.0.1:${platformPort}`,
      FAIRLANE_PREFIX: `{${name}}`,
      WORKER_LEASE_MS: String(LEASE_MS),
      WORKER_QUEUES: 'outreach:1-1',
    });
  try {
    await sandbox.setAccounts({ account: name, kind });
    // A claim that stayed behind would close the gate for ever.
    await operations.setLimits(name, 'email', { limit: 1_000, perMs: 1_000, maxInFlight: 1 });
    const { wire, direction, marker } = POINTS[point];
    const reached = wires[wire].stopAt(direction, marker);
    await using victim = await startAt(wires.redis.port, wires.gateway.port);
    const accepted = await producer.enqueue(outreachSend, messageOf(name));
    if (accepted.outcome !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(accepted)}`);
    const view = async () => viewOf(await producer.job(accepted.id));

    const wireOfJob = await inTime(reached, `the worker never came to "${point}"`);
    victim.signal(by === 'kill' ? 'SIGKILL' : 'SIGSTOP');
    if (by === 'kill') await victim.exit;

    await using _successor = await startAt(redis.port, gatewayPort);
    const succeededAt = performance.now();
    await expect
      .poll(async () => (await view()).state, { timeout: END_MS, interval: 100 })
      .toMatch(/^(?:completed|dead)$/);
    const endedAfterMs = performance.now() - succeededAt;
    let effectsAfterStop = {};
    if (by === 'stop') {
      await wireOfJob.release();
      const stoppedAt = await lastBeat(operations, victim);
      victim.signal('SIGCONT');
      // A worker that wakes may give its connection up as silent before it hears what lies ready on it.
      await expect
        .poll(
          async () =>
            (await attemptsEnded(victim)) === 1 || (await isIdleSince(stoppedAt, operations, victim)),
          {
            timeout: END_MS,
            interval: 100,
          },
        )
        .toBe(true);
      effectsAfterStop = await effectsOf(victim);
    }
    const { byReference = {} } = await sandbox.report({ full: true });
    return { view: await view(), seen: byReference[accepted.key], endedAfterMs, effectsAfterStop };
  } finally {
    await operations.close();
    await producer.close();
    for (const wire of Object.values(wires)) await wire.close();
  }
}

async function inTime<T>(promise: Promise<T>, otherwise: string): Promise<T> {
  const timer = new AbortController();
  const late = delay(END_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(otherwise);
  });
  late.catch(() => undefined);
  return Promise.race([promise, late]).finally(() => timer.abort());
}

function messageOf(accountId: string) {
  return {
    accountId,
    leadId: LEAD,
    step: 1,
    campaignRev: 1,
    channel: 'email',
    to: 'someone@example.com',
    body: 'hello',
  } as const;
}

function viewOf(view: JobView | undefined): JobView {
  if (view === undefined) throw new Error('the job is gone');
  return view;
}

async function lastBeat(operations: Operations, { pid }: WorkerProcess): Promise<number> {
  const worker = (await operations.workers()).find((each) => each.pid === pid);
  return worker?.lastBeatMs ?? 0;
}

async function isIdleSince(beatMs: number, operations: Operations, { pid }: WorkerProcess): Promise<boolean> {
  const workers = await operations.workers();
  return workers.some((each) => each.pid === pid && each.status === 'idle' && each.lastBeatMs > beatMs);
}

async function attemptsEnded(worker: WorkerProcess): Promise<number> {
  const [, count = '0'] =
    /^fairlane_processing_seconds_count\{.*\} (\d+)$/m.exec(await metricsOf(worker)) ?? [];
  return Number(count);
}

async function effectsOf(worker: WorkerProcess): Promise<Record<string, number>> {
  const lines = (await metricsOf(worker)).matchAll(/^fairlane_effects_total\{outcome="(\w+)"\} (\d+)$/gm);
  const counts = [...lines].map(([, outcome = '', count]) => [outcome, Number(count)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

async function metricsOf(worker: WorkerProcess): Promise<string> {
  return (await fetch(`${worker.health}/metrics`)).text();
}
