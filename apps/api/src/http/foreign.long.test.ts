import { randomBytes } from 'node:crypto';
import { useRedis } from '@fairlane/testkit/vitest';
import { expect, it } from 'vitest';
import { routes } from '../routes.js';
import { message } from '../testing-support/catalogue.js';
import { deadJobs, Outside } from '../testing-support/dead-jobs.js';
import { ROLE_TOKENS, startApi, type ApiUnderTest } from '../testing-support/start-api.js';

const redis = useRedis();
const SAMPLES = Number(process.env['TIMING_SAMPLES'] ?? 1_000);
const SEED = Number(process.env['TIMING_SEED'] ?? 20_261_130);
/** Of each kind, so that no single id is read from a warm cache of anything. */
const IDS = 20;
/**
 * How many standard deviations the ranks of two equal samples may be apart. Beyond 4.5 with a chance of seven in a
 * million; there are about thirty comparisons.
 */
const MAX_Z = 4.5;

const bodies: Readonly<Record<string, unknown>> = {
  'post /v1/jobs/{id}/effects/{name}/resolve': { outcome: 'applied' },
  'put /v1/webhook-endpoints/{id}': { accountId: 'other', url: 'https://9.9.9.9/hook' },
  'put /v1/accounts/{account}': { weight: 3 },
  'put /v1/accounts/{account}/limits/{group}': { limit: 1, perMs: 1_000 },
};

/** Ids of the account `other` by the routes they belong to. */
async function idsOfOthers(api: ApiUnderTest): Promise<Record<string, string[]>> {
  const jobs = await deadJobs(redis, api, Outside.refuses, [{ accountId: 'other' }]);
  const [operations, endpoints]: [string[], string[]] = [[], []];
  for (let at = 0; at < IDS; at += 1) {
    const { json } = await api.call('POST', '/v1/jobs/message.send', {
      body: message({ accountId: 'other' }),
    });
    jobs.push(String(json['id']));
    const asked = await api.call('POST', '/v1/jobs/cancel', { body: { filter: { account: `none-${at}` } } });
    operations.push(String(asked.json['operation']));
    await api.call('POST', `/v1/operations/${String(asked.json['operation'])}/cancel`);
    // An account has a bound of endpoints.
    const endpoint = { accountId: `other-${at}`, url: `https://9.9.9.9/hook-${at}` };
    await api.call('PUT', `/v1/webhook-endpoints/other-endpoint-${at}`, { body: endpoint });
    endpoints.push(`other-endpoint-${at}`);
  }
  return { jobs, 'dead-letters': jobs, operations, 'webhook-endpoints': endpoints, accounts: ['other'] };
}

function unknownIds(kind: string): string[] {
  const made = Array.from({ length: IDS }, () => randomBytes(32).toString('base64url').slice(0, 22));
  if (kind === 'webhook-endpoints') return made.map((_id, at) => `no-such-endpoint-${at}`);
  return kind === 'accounts' ? ['nobody'] : made;
}

/** A generator of numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Mann-Whitney's U of two samples as standard deviations from what equal ones give; times are hardly ever equal. */
function rankDistance(one: readonly number[], other: readonly number[]): number {
  const all = [
    ...one.map((value) => ({ value, isOne: true })),
    ...other.map((value) => ({ value, isOne: false })),
  ].toSorted((a, b) => a.value - b.value);
  let ranks = 0;
  for (const [at, { isOne }] of all.entries()) ranks += isOne ? at + 1 : 0;
  const [n, m] = [one.length, other.length];
  const u = ranks - (n * (n + 1)) / 2;
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

it('a token of one account cannot tell ids of others from ids that never were by the time of an answer', async () => {
  const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix, surveyEveryMs: 3_600_000 });
  const known = await idsOfOthers(api);
  const random = randomOf(SEED);
  const pick = (ids: readonly string[]) => ids[Math.floor(random() * ids.length)] ?? '';
  const asked = routes.filter(
    ({ path, access, accountTokens }) =>
      access !== 'public' && accountTokens === 'narrowed' && /\{(id|account)\}/.test(path),
  );
  const table: Record<string, unknown>[] = [];
  for (const { method, path, access } of asked) {
    const kind = path.split('/')[2] ?? '';
    const role = ROLE_TOKENS.find((each) => access.includes(each)) ?? 'operator';
    const body = bodies[`${method} ${path}`];
    const options = { token: api.tokens[`own-${role}`], ...(body === undefined ? {} : { body }) };
    const ids = { foreign: known[kind] ?? [], unknown: unknownIds(kind) };
    expect([path, ids.foreign.length > 0]).toEqual([path, true]);
    const times = { foreign: [] as number[], unknown: [] as number[] };
    // In the order of a seed, so that whatever slows the machine down meets both alike.
    for (let sample = 0; sample < 2 * SAMPLES + 100; sample += 1) {
      const which = random() < 0.5 ? 'foreign' : 'unknown';
      const id = pick(ids[which]);
      const url = path
        .replace(/\{(id|account)\}/, id)
        .replace('{name}', 'send')
        .replace('{group}', 'email');
      const startedAt = performance.now();
      await api.call(method, url, options);
      // The first ones warm up connections, scripts and the compiler.
      if (sample >= 100) times[which].push(performance.now() - startedAt);
    }
    const z = Math.round(100 * rankDistance(times.foreign, times.unknown)) / 100;
    const [foreign = 0, unknown = 0] = [median(times.foreign), median(times.unknown)];
    table.push({
      route: `${method} ${path}`,
      foreignMs: foreign.toFixed(3),
      unknownMs: unknown.toFixed(3),
      z,
    });
  }
  process.stdout.write(`${table.map((row) => JSON.stringify(row)).join('\n')}\n`);
  expect(table.filter(({ z }) => Math.abs(z as number) > MAX_Z)).toEqual([]);
});
