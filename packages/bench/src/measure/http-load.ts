import { Agent, request } from 'node:http';

import autocannon from 'autocannon';

import { accountName, benchJob } from '../workload.js';
import { monotonicMs } from './clock.js';

const ACCOUNTS = 100;

export interface Target {
  readonly url: string;
  /** Bearer token; none for a server that asks for none. */
  readonly token?: string;
}

/** What is sent again and again, and the answer to it. */
export interface Posts {
  readonly path: string;
  readonly status: number;
  bodyOf(index: number): string;
}

/** Every request hands in another job, or the server would answer "duplicate". */
const jobs: Posts = {
  path: '/v1/jobs/outreach.send',
  status: 202,
  bodyOf: (index) => JSON.stringify(benchJob(accountName(index % ACCOUNTS), index).data),
};

function headersFor({ token }: Target): Record<string, string> {
  const headers = { 'content-type': 'application/json' };
  return token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` };
}

/**
 * Answer times in ms at a fixed rate. A request that is due is sent although earlier ones are still open, and
 * its time counts from when it was due: a server that stalls cannot make the generator wait with it and so
 * hide the stall from the figures.
 */
export async function answerTimesMs(
  target: Target,
  { perSecond, seconds }: { perSecond: number; seconds: number },
  posts: Posts = jobs,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const count = perSecond * seconds;
  const startMs = monotonicMs();
  const timesMs: Promise<number>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(count, Math.ceil(((monotonicMs() - startMs) * perSecond) / 1_000));
      while (timesMs.length < due) {
        const index = timesMs.length;
        const dueMs = startMs + (index * 1_000) / perSecond;
        timesMs.push(answerTimeMs(target, agent, posts, posts.bodyOf(index), dueMs));
      }
      if (timesMs.length === count) {
        clearInterval(timer);
        resolve();
      }
    }, 1);
  });
  try {
    return await Promise.all(timesMs);
  } finally {
    agent.destroy();
  }
}

async function answerTimeMs(
  target: Target,
  agent: Agent,
  { path, status }: Posts,
  body: string,
  dueMs: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { ...headersFor(target), 'content-length': Buffer.byteLength(body) };
    const sent = request(`${target.url}${path}`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === status) resolve(monotonicMs() - dueMs);
        else reject(new Error(`expected ${status}, got ${response.statusCode}`));
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/**
 * Requests a second that the server answers to 50 clients which ask again as soon as they have an answer,
 * after a time that is not counted.
 */
export async function requestsPerSecond(
  target: Target,
  { warmUpSeconds, seconds }: { warmUpSeconds: number; seconds: number },
): Promise<number> {
  let next = 0;
  const loadFor = async (duration: number): Promise<number> => {
    const result = await autocannon({
      url: target.url,
      connections: 50,
      duration,
      requests: [
        {
          method: 'POST',
          path: jobs.path,
          headers: headersFor(target),
          setupRequest: (asked) => ({ ...asked, body: jobs.bodyOf(next++) }),
        },
      ],
    });
    if (result.non2xx > 0 || result.errors > 0) {
      throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} requests failed`);
    }
    return result.requests.average;
  };
  await loadFor(warmUpSeconds);
  return loadFor(seconds);
}
