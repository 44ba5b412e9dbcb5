import { once, setMaxListeners } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { RateLimit } from '../sandbox/index.js';

/** The part of a job view that the demo reads. */
export interface JobView {
  id: string;
  key: string;
  account: string;
  state: string;
  attempts: { made: number; max: number };
  lastError?: { code: string };
  createdAt: string;
  startedAt?: string;
  finishedAt?: string;
}

export interface BatchAnswer {
  line: number;
  status: 'accepted' | 'duplicate' | 'rejected';
  id?: string;
  code?: string;
  detail?: string;
}

export interface WorkerView {
  pid: number;
  busy: number;
}

export interface ApiClient {
  /** Streams payload lines up while the answers stream down; calls `onAnswer` once a line, in order. */
  postBatch(
    name: string,
    lines: AsyncIterable<string>,
    onAnswer: (answer: BatchAnswer) => void,
  ): Promise<void>;
  job(id: string): Promise<JobView | undefined>;
  workers(): Promise<WorkerView[]>;
  setLimit(account: string, group: string, limit: RateLimit): Promise<void>;
  close(): void;
}

const ENDS: ReadonlySet<string> = new Set(['completed', 'dead', 'cancelled']);

/** Whether nothing happens to a job any more. */
export function hasEnded({ state }: Pick<JobView, 'state'>): boolean {
  return ENDS.has(state);
}

const REQUEST_TIMEOUT_MS = 15_000;
const PATIENCE_MS = 15_000;
const PAUSE_MS = 500;

export function createApiClient(options: {
  url: string;
  tokens: { producer: string; operator: string; limits: string };
  signal: AbortSignal;
  /** How long a call that may be sent twice is; default 15,000. */
  patienceMs?: number;
}): ApiClient {
  const { url, tokens, signal, patienceMs = PATIENCE_MS } = options;
  // Many calls wait at the same time, which is no leak.
  setMaxListeners(0, signal);
  const agent = new Agent({ keepAlive: true });

  const call = async (method: string, path: string, token: string, body?: unknown): Promise<Response> =>
    fetch(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });

  /**
   * For calls that may be sent twice. On a busy machine Redis answers late, which is a 503, and a server that closes
   * an idle connection races the next request on it.
   */
  const patiently = async (...request: Parameters<typeof call>): Promise<Response> => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        const response = await call(...request);
        if (response.status !== 503 || performance.now() > deadline) return response;
        await response.body?.cancel();
      } catch (error) {
        signal.throwIfAborted();
        if (performance.now() > deadline) throw error;
      }
      await delay(PAUSE_MS, undefined, { signal });
    }
  };

  return {
    async postBatch(name, lines, onAnswer) {
      // Not fetch: its answer can only be read once all of the request is sent, and both sides would wait.
      const post = request(new URL(`/v1/jobs/${name}/batch`, url), {
        method: 'POST',
        agent,
        signal,
        headers: { authorization: `Bearer ${tokens.producer}`, 'content-type': 'application/x-ndjson' },
      });
      const answered = once(post, 'response') as Promise<[IncomingMessage]>;
      const sent = pipeline(Readable.from(lines), post);
      const [response] = await Promise.race([answered, sent.then(() => answered)]);
      await Promise.all([readBatchAnswers(response, onAnswer), sent]);
    },
    async job(id) {
      const response = await patiently('GET', `/v1/jobs/${id}`, tokens.operator);
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      return (await expectOk(response)) as JobView;
    },
    async workers() {
      const response = await patiently('GET', '/v1/workers', tokens.operator);
      return ((await expectOk(response)) as { items: WorkerView[] }).items;
    },
    async setLimit(account, group, limit) {
      const path = `/v1/accounts/${encodeURIComponent(account)}/limits/${group}`;
      await expectOk(await patiently('PUT', path, tokens.limits, limit));
    },
    close: () => agent.destroy(),
  };
}

async function expectOk(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text.slice(0, 300)}`);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

async function readBatchAnswers(
  response: IncomingMessage,
  onAnswer: (answer: BatchAnswer) => void,
): Promise<void> {
  let complete = false;
  for await (const line of createInterface({ input: response, crlfDelay: Infinity })) {
    if (response.statusCode !== 200) {
      throw new Error(`the batch was answered ${response.statusCode}: ${line.slice(0, 300)}`);
    }
    const answer = JSON.parse(line) as BatchAnswer | { summary: object };
    if ('summary' in answer) complete = true;
    else onAnswer(answer);
  }
  // The status line was sent long before: only the summary tells that nothing was cut off.
  if (!complete) throw new Error('the answer to the batch ended without its summary');
}
