import { appRoutes } from '@bull-board/api/dist/routes.js';
import { PermanentError, RetryableError } from '@fairlane/sdk';
import { startStopwatch, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, test } from 'vitest';
import { openCampaign, outreachPayload } from './campaign.js';
import { serveBoard } from './serve-board.js';

const redis = useRedis();

async function start() {
  const campaign = openCampaign(redis.url, redis.prefix);
  const board = await serveBoard({
    redisUrl: redis.url,
    prefix: redis.prefix,
    deps: { queues: campaign.queues, replay: (queue, id) => campaign.replay(queue, id) },
  });
  return {
    campaign,
    board,
    async [Symbol.asyncDispose]() {
      await board[Symbol.asyncDispose]();
      await campaign[Symbol.asyncDispose]();
    },
  };
}

interface ListedJob {
  id: string;
  name: string;
  data: Record<string, unknown>;
  returnValue?: unknown;
  failedReason: string;
  stacktrace: string[];
}
interface ListedQueue {
  name: string;
  jobs: ListedJob[];
  counts: Record<string, number>;
  readOnlyMode: boolean;
}

async function listed(
  client: { request(path: string): Promise<Response> },
  query: string,
): Promise<ListedQueue> {
  const response = await client.request(`/queues/api/queues?activeQueue=outreach&${query}`);
  expect(response.status).toBe(200);
  const { queues } = (await response.json()) as { queues: ListedQueue[] };
  const queue = queues.find(({ name }) => name === 'outreach');
  if (!queue) throw new Error('outreach is not listed');
  return queue;
}

const secret = 'person7@example.com';

describe('what is shown', () => {
  test('operators see payload and result with sensitive fields masked, viewers neither', async () => {
    await using started = await start();
    const { campaign, board } = started;
    const [id] = await campaign.enqueue(outreachPayload(7));
    await campaign.work(async ({ to }) => ({ messageId: 'm-1', echo: `sent to ${to}` }));

    const operator = await listed(await board.logIn('operator'), 'status=completed');
    expect(operator.jobs).toEqual([
      expect.objectContaining({
        id,
        name: 'outreach.send',
        data: expect.objectContaining({ accountId: 'account-2', to: '[redacted]', body: '[redacted]' }),
        returnValue: { messageId: 'm-1', echo: 'sent to [redacted]' },
      }),
    ]);

    const viewer = await listed(await board.logIn('viewer'), 'status=completed');
    expect(viewer.jobs).toHaveLength(1);
    expect(JSON.stringify(viewer)).not.toMatch(/messageId|lead-7|Hello|person7/);
  });

  test('A32: a secret quoted in an error, a stack or a result is masked, in the list and on the page of the job', async () => {
    await using started = await start();
    const { campaign, board } = started;
    const [id] = await campaign.enqueue(outreachPayload(7));
    await campaign.work(async ({ to }) => {
      throw new PermanentError({ code: 'rejected', reason: `mailbox ${to} does not exist` });
    });
    for (const role of ['viewer', 'operator'] as const) {
      const client = await board.logIn(role);
      const list = await listed(client, 'status=failed');
      const page = await (await client.request(`/queues/api/queues/outreach/${id}`)).text();
      expect(list.jobs[0]?.failedReason).toContain('mailbox [redacted] does not exist');
      expect(JSON.stringify(list) + page).not.toContain(secret);
    }
  });

  test('of a job whose contract is unknown no payload is shown', async () => {
    await using started = await start();
    const { campaign, board } = started;
    const [id = ''] = await campaign.enqueue(outreachPayload(7));
    await redis.client.hset(
      `${redis.prefix}:outreach:${id}`,
      'name',
      'future.job',
      'failedReason',
      `for ${secret}`,
    );
    const body = await (
      await (await board.logIn('operator')).request(`/queues/api/queues/outreach/${id}`)
    ).text();
    expect(body).toContain('future.job');
    expect(body).not.toContain(secret);
  });

  test.each([
    ['cut short', '{bad'],
    ['null', 'null'],
    ['nested 50,000 deep', '['.repeat(50_000) + ']'.repeat(50_000)],
    ['a number', '42'],
    ['empty', ''],
  ])('A23: a job whose data is %s does not hide its neighbours', async (_case, data) => {
    await using started = await start();
    const { campaign, board } = started;
    const [broken = '', sound = ''] = await campaign.enqueue(outreachPayload(1), outreachPayload(2));
    await redis.client.hset(`${redis.prefix}:outreach:${broken}`, {
      data,
      opts: '{bad',
      progress: '[',
      failedReason: 'x',
    });
    const operator = await board.logIn('operator');
    const { jobs } = await listed(operator, 'status=waiting');
    expect(new Set(jobs.map(({ id }) => id))).toEqual(new Set([broken, sound]));
    expect((await operator.request(`/queues/api/queues/outreach/${broken}`)).status).toBe(200);
  });
});

describe('what is done', () => {
  const mutating = appRoutes.api.flatMap(({ method, route }) =>
    [method]
      .flat()
      .flatMap((m) => (m === 'get' ? [] : [route].flat().map((r) => [m.toUpperCase(), r] as const))),
  );
  const replay = '/api/queues/:queueName/:jobId/retry';

  test('A32: a viewer can call none of the routes of Bull Board that change something', async () => {
    await using started = await start();
    const { campaign, board } = started;
    const [id = ''] = await campaign.enqueue(outreachPayload(1));
    await campaign.work(async () => {
      throw new PermanentError({ code: 'rejected' });
    });
    const viewer = await board.logIn('viewer');
    for (const [method, route] of mutating) {
      const response = await viewer.act(method, `/queues${fill(route, id)}`, jsonBody);
      expect([route, response.status, await codeOf(response)]).toEqual([route, 403, 'forbidden']);
    }
    expect(await counts(campaign)).toMatchObject({ failed: 1, waiting: 0 });
  });

  test('an operator can replay a dead job and do nothing else through Bull Board', async () => {
    await using started = await start();
    const { campaign, board } = started;
    const [id = ''] = await campaign.enqueue(outreachPayload(1));
    await campaign.work(async () => {
      throw new PermanentError({ code: 'rejected' });
    });
    const operator = await board.logIn('operator');
    expect(mutating.length).toBeGreaterThan(15);
    for (const [method, route] of mutating.filter(([, route]) => route !== replay)) {
      const response = await operator.act(method, `/queues${fill(route, id)}`, jsonBody);
      expect([route, response.status, await codeOf(response)]).toEqual([route, 403, 'action_switched_off']);
    }
    expect(await counts(campaign)).toMatchObject({ failed: 1, waiting: 0 });

    const response = await operator.act('PUT', `/queues${fill(replay, id)}`);
    expect(response.status).toBe(204);
    expect(await counts(campaign)).toMatchObject({ failed: 0, waiting: 1 });
    expect(auditLines(board.log())).toEqual([
      expect.objectContaining({
        audit: 'job.replay',
        user: 'operator',
        job: id,
        before: 'dead',
        after: 'ready',
      }),
    ]);

    await campaign.work(async () => ({ messageId: 'm-1' }));
    const { jobs } = await listed(operator, 'status=completed');
    expect(jobs).toEqual([expect.objectContaining({ id, attempts: 1 })]);
  });

  test('R2 the replay of a job whose effect may have been applied is refused', async () => {
    await using started = await start();
    const { campaign, board } = started;
    const [id = ''] = await campaign.enqueue(outreachPayload(1));
    let sent = 0;
    const send: Parameters<typeof campaign.work>[0] = async (_payload, { effect }) => {
      await effect('send', {
        perform: async () => {
          sent += 1;
          throw new RetryableError({ reason: 'the outside hung up' });
        },
      });
    };
    await campaign.work(send);
    const operator = await board.logIn('operator');
    const response = await operator.act('PUT', `/queues${fill(replay, id)}`);
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { error: expect.stringContaining('may have been applied') },
    ]);
    expect(await counts(campaign)).toMatchObject({ failed: 1, waiting: 0 });
    expect(auditLines(board.log())).toEqual([expect.objectContaining({ job: id, status: 409 })]);
    expect(sent).toBe(1);
  });

  test('only a dead job can be replayed', async () => {
    await using started = await start();
    const { campaign, board } = started;
    const [id = ''] = await campaign.enqueue(outreachPayload(1));
    const operator = await board.logIn('operator');
    const waiting = await operator.act('PUT', `/queues${fill(replay, id)}`);
    await campaign.work(async () => ({ messageId: 'm-1' }));
    const completed = await operator.act('PUT', `/queues${fill(replay, id)}`);
    const unknown = await operator.act('PUT', `/queues${fill(replay, 'nobody')}`);
    expect([waiting.status, completed.status, unknown.status]).toEqual([400, 409, 404]);
    expect(await counts(campaign)).toMatchObject({ completed: 1, waiting: 0 });
  });

  test('routes that read but are not on the list are off, for operators too', async () => {
    await using started = await start();
    const operator = await started.board.logIn('operator');
    for (const path of ['/api/redis/stats', '/api/job-schedulers', '/api/metrics/history', '/api/nothing']) {
      const response = await operator.request(`/queues${path}`);
      expect([path, response.status]).toEqual([path, 403]);
    }
  });

  test('the page is told that a queue is read-only except where an operator looks at failed jobs', async () => {
    await using started = await start();
    const { campaign, board } = started;
    await campaign.enqueue(outreachPayload(1));
    await campaign.work(async () => {
      throw new PermanentError({ code: 'rejected' });
    });
    const readOnly = async (role: 'viewer' | 'operator', query: string) =>
      (await listed(await board.logIn(role), query)).readOnlyMode;
    expect(await readOnly('operator', 'status=failed')).toBe(false);
    expect(await readOnly('operator', 'status=latest')).toBe(true);
    expect(await readOnly('operator', 'status=completed')).toBe(true);
    expect(await readOnly('viewer', 'status=failed')).toBe(true);
  });
});

test('what fails inside is logged, and the answer says nothing of it', async () => {
  await using started = await start();
  const operator = await started.board.logIn('operator');
  const wrongType = `${redis.prefix}:outreach:broken`;
  await redis.client.set(wrongType, 'a string where a job should be');
  const response = await operator.request('/queues/api/queues/outreach/broken');
  expect([response.status, await codeOf(response)]).toEqual([500, 'internal_error']);
  expect(started.board.log()).toContain('WRONGTYPE');
});

describe('bounds', () => {
  test('A33: a page of 100 jobs of 3 MB answers below 2 s and is capped', async () => {
    await using started = await start();
    const { campaign, board } = started;
    const ids = await campaign.enqueue(...Array.from({ length: 100 }, (_, lead) => outreachPayload(lead)));
    const inflate = `
      local data = '{"v":1,"p":{"accountId":"a","body":"' .. string.rep('x', 3e6) .. '"}}'
      for i = 1, #KEYS do redis.call('HSET', KEYS[i], 'data', data, 'returnvalue', data) end`;
    const keys = ids.map((id) => `${redis.prefix}:outreach:${id}`);
    await redis.client.eval(inflate, keys.length, ...keys);

    const operator = await board.logIn('operator');
    const watch = startStopwatch(redis.server.pid);
    const response = await operator.request(
      '/queues/api/queues?activeQueue=outreach&status=waiting&jobsPerPage=100',
    );
    const body = await response.text();
    expect(watch.ownMs()).toBeLessThan(2_000);
    expect(body.length).toBeLessThan(200_000);
    expect(
      (JSON.parse(body) as { queues: ListedQueue[] }).queues.find(({ name }) => name === 'outreach')?.jobs,
    ).toHaveLength(100);

    const page = await operator.request(`/queues/api/queues/outreach/${ids[0]}`);
    expect((await page.text()).length).toBeLessThan(10_000);
  });

  test('A33: 200,000 failed jobs are paged below 2 s, whatever page size is asked for', async () => {
    await using started = await start();
    const { campaign, board } = started;
    const [id = ''] = await campaign.enqueue(outreachPayload(1));
    const fill = `
      local fields = redis.call('HGETALL', KEYS[2])
      for i = 1, 200000 do
        redis.call('ZADD', KEYS[1], i, 'dead-' .. i)
        if i > 199000 then redis.call('HSET', ARGV[1] .. 'dead-' .. i, unpack(fields)) end
      end`;
    const base = `${redis.prefix}:outreach:`;
    await redis.client.eval(fill, 2, `${base}failed`, `${base}${id}`, base);

    const operator = await board.logIn('operator');
    const watch = startStopwatch(redis.server.pid);
    const { jobs, counts } = await listed(operator, 'status=failed&jobsPerPage=200000');
    expect(watch.ownMs()).toBeLessThan(2_000);
    expect(counts['failed']).toBe(200_000);
    expect(jobs.map((job) => job.id)).toEqual(Array.from({ length: 100 }, (_, i) => `dead-${200_000 - i}`));
  });
});

const jsonBody = { body: '{}', headers: { 'content-type': 'application/json' } };

function fill(route: string, jobId: string): string {
  return route
    .replace(':queueName', 'outreach')
    .replace(':jobId', jobId)
    .replace(':queueStatus', 'failed')
    .replace(':schedulerId', 'daily');
}

async function codeOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { code?: unknown }).code;
}

function counts(campaign: ReturnType<typeof openCampaign>) {
  return campaign.queues
    .find(({ name }) => name === 'outreach')
    ?.getJobCounts('waiting', 'failed', 'completed');
}

function auditLines(log: string): unknown[] {
  return log
    .split('\n')
    .filter((line) => line.includes('"audit"'))
    .map((line) => JSON.parse(line) as unknown);
}
