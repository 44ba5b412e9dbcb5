import { outreachPayload } from '../campaign.js';
import type { ServedApi } from '../serve-api.js';
import { median } from './page-times.js';
import { RARE_CODE } from './seed-dead.js';

/** Lists as a client of the API asks for them. */
const pathsWith = (limit: number): string[] => [
  '/v1/queues',
  '/v1/queues/outreach/series?minutes=60',
  `/v1/accounts?sort=oldest&limit=${limit}`,
  `/v1/accounts?search=account-1&limit=${limit}`,
  '/v1/accounts/account-1',
  `/v1/jobs?limit=${limit}`,
  `/v1/jobs?state=dead&limit=${limit}`,
  `/v1/jobs?account=large&limit=${limit}`,
  `/v1/jobs?state=ready&limit=${limit}`,
  `/v1/dead-letters?limit=${limit}`,
  `/v1/dead-letters?code=${RARE_CODE}&limit=${limit}`,
  `/v1/dead-letters?account=account-0&code=${RARE_CODE}&limit=${limit}`,
  `/v1/dead-letters?code=nothing_died_of_this&limit=${limit}`,
  '/v1/workers',
  '/metrics',
];

/** With pages of `limit`: the median time of each call and the size of its answer. */
export async function timeCalls(
  api: ServedApi,
  limit: number,
  rounds: number,
): Promise<Record<string, { ms: number; bytes: number }>> {
  const found: Record<string, { ms: number; bytes: number }> = {};
  for (const path of pathsWith(limit)) {
    const times: number[] = [];
    let bytes = 0;
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now();
      const response = await fetch(api.url + path, authorized(api));
      const text = await response.text();
      times.push(performance.now() - startedAt);
      if (response.status !== 200)
        throw new Error(`${path} answered ${response.status}: ${text}\n${api.log().slice(-2_000)}`);
      bytes = text.length;
    }
    found[path] = { ms: Math.round(median(times)), bytes };
  }
  return found;
}

/**
 * The 99th percentile of handing a job in, ms, alone and while somebody else goes through the largest pages without a
 * pause.
 */
export async function timeEnqueues(
  api: ServedApi,
  count: number,
): Promise<{ alone: number; whilePagesAreRead: number }> {
  const alone = await enqueue(api, 'alone', count);
  const stop = new AbortController();
  const reading = readPages(api, stop.signal);
  try {
    return { alone, whilePagesAreRead: await enqueue(api, 'busy', count) };
  } finally {
    stop.abort();
    await reading;
  }
}

async function enqueue(api: ServedApi, name: string, count: number): Promise<number> {
  const { headers } = authorized(api);
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const payload = outreachPayload(at, { accountId: name, leadId: `${name}-${at}` });
    const startedAt = performance.now();
    const response = await fetch(`${api.url}/v1/jobs/outreach.send`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    });
    await response.arrayBuffer();
    times.push(performance.now() - startedAt);
    if (response.status !== 202) throw new Error(`handing in was answered ${response.status}`);
  }
  return Math.round(times.toSorted((one, other) => one - other)[Math.floor(count * 0.99)] ?? NaN);
}

async function readPages(api: ServedApi, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    for (const path of [
      '/v1/jobs?limit=500',
      '/v1/dead-letters?limit=500',
      '/v1/jobs?state=ready&limit=500',
    ]) {
      await (await fetch(api.url + path, authorized(api))).arrayBuffer();
    }
  }
}

export function authorized({ tokens }: ServedApi): { headers: { authorization: string } } {
  return { headers: { authorization: `Bearer ${tokens.operator}` } };
}
