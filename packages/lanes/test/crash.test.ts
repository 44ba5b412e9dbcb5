import { spawn, type ChildProcess } from 'node:child_process';
import { Queue } from 'bullmq';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, describe, expect, it } from 'vitest';
import { createLaneBackend, createLanes } from '../src/index.js';
import { checkInFlight, type ClaimSpan } from '../src/invariants.js';
import { countedClaims } from './support/gate-record.js';

/** 50 in the long run; see `docs/testing.md`. */
const KILLS = Number(process.env['LANES_KILLS'] ?? 5);
const ACCOUNTS = ['A', 'B', 'C', 'D', 'E'];
const WORKERS = 3;

const redis = useRedis();
const children = new Set<ChildProcess>();
const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  await Promise.all([...children].map(kill));
  await Promise.all(open.splice(0).map(async (each) => each.close()));
});

function start(): ChildProcess {
  const program = new URL('support/crash-worker.ts', import.meta.url).pathname;
  const child = spawn(
    process.execPath,
    ['--conditions=fairlane-source', '--import', 'tsx', program, redis.url, redis.prefix],
    { stdio: 'ignore' },
  );
  children.add(child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  children.delete(child);
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    child.kill('SIGKILL');
    await gone;
  }
}

interface Note {
  at: number;
  what: string;
  account: string;
  job: string;
  pid: string;
}

async function notes(): Promise<Note[]> {
  const entries = await redis.client.xrange(`${redis.prefix}outside`, '-', '+');
  return entries.map(([id, fields]) => {
    const value = (name: string): string => fields[fields.indexOf(name) + 1]!;
    const [ms, sequence] = id.split('-');
    // Entries of one millisecond keep their order.
    const at = Number(ms) + Number(sequence) / 1_000;
    return { at, what: value('what'), account: value('account'), job: value('job'), pid: value('pid') };
  });
}

/** When each process was gone, on the server's clock. */
const killedAt = new Map<string, number>();

async function serverNow(): Promise<number> {
  const [seconds, micros] = await redis.client.time();
  return Number(`${seconds}`) * 1_000 + Number(`${micros}`) / 1_000;
}

function spans(all: Note[], account: string): ClaimSpan[] {
  return all
    .filter((note) => note.what === 'begin' && note.account === account)
    .map((begin) => {
      const end = all.find(
        (note) =>
          note.what === 'end' && note.job === begin.job && note.pid === begin.pid && note.at > begin.at,
      );
      return {
        jobId: begin.job,
        from: begin.at,
        to: Math.min(end?.at ?? Infinity, killedAt.get(begin.pid) ?? Infinity),
      };
    });
}

describe('workers that die', () => {
  it(`R4, R11, A17: the outside never sees two calls of an account at once, over ${KILLS} kills`, async () => {
    const place = { connection: { url: redis.url }, prefix: redis.prefix };
    const queue = new Queue('queue', place, createLaneBackend());
    const lanes = createLanes({ connection: redis.url, prefix: redis.prefix });
    open.push(queue, lanes);
    for (const account of ACCOUNTS) {
      await lanes.setLimits(account, 'default', { maxInFlight: 1 });
    }
    const jobs = 40 * ACCOUNTS.length;
    await queue.addBulk(
      Array.from({ length: jobs }, (_, at) => {
        const account = ACCOUNTS[at % ACCOUNTS.length]!;
        return { name: account, data: {}, opts: { lane: { account } } };
      }),
    );
    for (let worker = 0; worker < WORKERS; worker += 1) {
      start();
    }
    for (let killed = 0; killed < KILLS; killed += 1) {
      const before = (await notes()).filter((note) => note.what === 'begin').length;
      // A worker is killed while calls are under way.
      await expect
        .poll(async () => (await notes()).filter((note) => note.what === 'begin').length, { timeout: 60_000 })
        .toBeGreaterThan(before);
      const [victim] = children;
      await kill(victim!);
      killedAt.set(String(victim!.pid), await serverNow());
      start();
      if ((await queue.getCompletedCount()) > jobs - 20) {
        await queue.addBulk(
          ACCOUNTS.flatMap((account) =>
            Array.from({ length: 10 }, () => ({ name: account, data: {}, opts: { lane: { account } } })),
          ),
        );
      }
    }
    await expect
      .poll(
        async () => {
          const { ready, held, active } = await lanes.queueCounts('queue');
          return ready + held + active;
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe(0);
    const all = await notes();
    for (const account of ACCOUNTS) {
      expect(checkInFlight(spans(all, account), [{ from: 0, maxInFlight: 1 }])).toEqual([]);
      expect(await countedClaims(redis.client, redis.prefix, account)).toBe(0);
    }
    expect(await redis.client.hlen(`${redis.prefix}::q:queue:k`)).toBe(0);
  }, 600_000);
});
