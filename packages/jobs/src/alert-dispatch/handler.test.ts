import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { identify, parsePayload } from '@fairlane/sdk';
import { createTestJob } from '@fairlane/sdk/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { alertDispatch } from './contract.js';
import { createAlertDispatch } from './handler.js';
import { createIncidentWebhook } from './incident-webhook.js';
import { createModelSummariser, localSummariser, type ModelOptions } from './summary.js';

const reading = {
  accountId: 'acme',
  host: 'db-1',
  mount: '/var',
  percent: 100.04,
  at: '2024-05-01T10:20:30+02:00',
};
const LOCAL =
  '/var on db-1 is 100 % full (measured 2024-05-01T08:20:30.000Z). ' +
  'Find what grew on /var of db-1, and free space or extend it.';

let outside: Server;
let url: string;
let calls: { path: string | undefined; headers: IncomingMessage['headers']; body: unknown }[];
let incident: (response: ServerResponse) => unknown;
let model: (response: ServerResponse) => unknown;

beforeAll(async () => {
  outside = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    outside.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  calls.push({ path: request.url, headers: request.headers, body: await json(request) });
  if (request.url === '/incidents') incident(response);
  else model(response);
}

beforeEach(() => {
  calls = [];
  incident = (response) => response.writeHead(202).end('{"status":"triggered"}');
  model = saying('The disk is full.');
});

afterAll(async () => {
  outside.closeAllConnections();
  await new Promise((resolve) => {
    outside.close(resolve);
  });
});

function saying(content: unknown) {
  return (response: ServerResponse) => response.end(JSON.stringify({ choices: [{ message: { content } }] }));
}

function failing(status: number) {
  return (response: ServerResponse) => response.writeHead(status).end('no');
}

function alert({ summary, incidents = true }: { summary?: Partial<ModelOptions>; incidents?: boolean } = {}) {
  const handler = createAlertDispatch({
    incidents: incidents ? createIncidentWebhook({ url: `${url}/incidents`, timeoutMs: 1_000 }) : undefined,
    summariser:
      summary === undefined
        ? localSummariser
        : createModelSummariser({ baseUrl: `${url}/v1/`, model: 'small', timeoutMs: 1_000, ...summary }),
  });
  return createTestJob(handler, reading);
}

const paths = () => calls.map(({ path }) => path);

describe('alert.dispatch', () => {
  it('opens an incident, then sums up', async () => {
    const job = alert();
    expect(await job.run()).toBe('completed');
    expect(job.result).toEqual({ incident: { status: 202 }, summary: { text: LOCAL, by: 'local' } });
    expect(job.info).toMatchObject({ tag: 'db-1', limitGroup: 'incident' });
    expect(calls).toMatchObject([
      {
        path: '/incidents',
        headers: { 'idempotency-key': `${job.info.key}:incident` },
        body: { ...reading, event: 'disk.full', dedupKey: job.info.key },
      },
    ]);
  });

  it('lets a model sum up where one is configured, after the incident', async () => {
    const job = alert({ summary: { apiKey: 'secret' } });
    expect(await job.run()).toBe('completed');
    expect(job.result).toMatchObject({ summary: { text: 'The disk is full.', by: 'model' } });
    expect(paths()).toEqual(['/incidents', '/v1/chat/completions']);
    expect(calls[1]).toMatchObject({
      headers: { authorization: 'Bearer secret' },
      body: { model: 'small', temperature: 0 },
    });
  });

  it('sends no key where none is set', async () => {
    await alert({ summary: {} }).run();
    expect(calls[1]?.headers.authorization).toBeUndefined();
  });

  it('does not open the incident again when the summary fails, nor in a replay', async () => {
    model = failing(500);
    const job = alert({ summary: {} });
    expect(await job.run()).toBe('dead');
    expect(job).toMatchObject({ deadCode: 'attempts_exhausted', attempts: { made: 3, max: 3 } });
    expect(paths().filter((path) => path === '/incidents')).toHaveLength(1);

    model = saying('Better late.');
    job.replay();
    expect(await job.run()).toBe('completed');
    expect(job.result).toMatchObject({ incident: { status: 202 }, summary: { text: 'Better late.' } });
    expect(paths().filter((path) => path === '/incidents')).toHaveLength(1);
  });

  it('opens the incident again under the same key when the answer was lost', async () => {
    incident = (response) => {
      incident = (next) => next.writeHead(200).end();
      response.destroy();
    };
    const job = alert();
    expect(await job.run()).toBe('completed');
    expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(job.effects['incident']).toMatchObject({ performed: 2 });
  });

  it('is dead, and sums nothing up, when nobody takes the incident', async () => {
    incident = failing(403);
    const job = alert();
    expect(await job.run()).toBe('dead');
    expect(job).toMatchObject({
      deadCode: 'unauthorized',
      lastError: { reason: 'the incident webhook answered 403' },
    });
    expect(job.effects['summary']).toBeUndefined();
  });

  it('says that nobody was told where no incident webhook is set', async () => {
    const job = alert({ incidents: false });
    expect(await job.run()).toBe('completed');
    expect(job.result).toMatchObject({ incident: null, summary: { text: LOCAL } });
    expect(job.logs).toMatchObject([
      { level: 'warn', message: 'nobody was told: INCIDENT_WEBHOOK_URL is not set' },
    ]);
  });

  it.each([
    ['no JSON', (response: ServerResponse) => response.end('oops')],
    ['no choice', (response: ServerResponse) => response.end('{"choices":[]}')],
    ['blanks', saying('  ')],
    ['an endless answer', saying('x'.repeat(200_000))],
    ['a number', saying(7)],
  ])('takes %s of a model for a failure', async (_what, answering) => {
    model = answering;
    const job = alert({ summary: {} });
    expect(await job.runAttempt()).toBe('retrying');
    expect(job.lastError?.reason).toMatch(/^the summary service gave /);
  });

  it('R14 keeps so much of what a model writes', async () => {
    model = saying(`${'x'.repeat(1_999)}🎉🎉`);
    const job = alert({ summary: {} });
    await job.run();
    expect(job.result).toMatchObject({ summary: { text: 'x'.repeat(1_999) } });
  });

  it('gives up on an outside that does not answer', async () => {
    incident = () => undefined;
    const job = alert();
    expect(await job.runAttempt()).toBe('retrying');
    expect(job.lastError).toMatchObject({ code: 'timeout', applied: 'unknown' });
  });
});

function keyOf(changes: object): string | undefined {
  const parsed = parsePayload(alertDispatch, { ...reading, ...changes });
  return parsed.ok ? identify(alertDispatch, parsed.payload).key : undefined;
}

describe('its key', () => {
  it('is the same for readings within one minute, whatever zone they are written in', () => {
    expect(keyOf({ at: '2024-05-01T08:20:59.999Z', percent: 101 })).toBe(keyOf({}));
    expect(alertDispatch.onConflict).toBe('first');
  });

  it.each([{ host: 'db-2' }, { mount: '/' }, { at: '2024-05-01T08:21:00Z' }, { accountId: 'globex' }])(
    'differs for %o',
    (changes) => {
      expect(keyOf(changes)).not.toBe(keyOf({}));
    },
  );

  it.each([{ at: 'yesterday' }, { percent: Number.NaN }, { percent: -1 }, { host: '' }])(
    'refuses %o',
    (changes) => {
      expect(keyOf(changes)).toBeUndefined();
    },
  );
});
