import { createRedisLedger } from '@fairlane/ledger';
import { openQueues } from '@fairlane/queue';
import { PermanentError, RetryableError, ThrottledError } from '@fairlane/sdk';
import { freePort } from '@fairlane/testkit';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { catalogue, message } from '../testing-support/catalogue.js';
import { deadJobs, Outside } from '../testing-support/dead-jobs.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';
import { gatedHandler, startWorker } from '../testing-support/start-worker.js';

const redis = useRedis();
const time = String.raw`(\w+ )?\d\d:\d\d(:\d\d)?`;

async function start() {
  const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
  const limit = (body: unknown, account = 'a1') =>
    api.call('PUT', `/v1/accounts/${account}/limits/email`, { body });
  return { api, limit };
}

async function enqueue(api: ApiUnderTest, count: number, accountId = 'a1', channel = 'email'): Promise<void> {
  for (let job = 0; job < count; job += 1) {
    const { status } = await api.call('POST', '/v1/jobs/message.send', {
      body: message({ accountId, channel }),
    });
    expect(status).toBe(202);
  }
}

/** Waits until the sentence of the account is as expected. */
async function explained(api: ApiUnderTest, sentence: RegExp, account = 'a1'): Promise<void> {
  const read = async () => (await api.call('GET', `/v1/accounts/${account}`)).json['explanation'];
  await expect.poll(read, { interval: 50 }).toMatch(sentence);
}

/** Hours that begin tomorrow, in UTC. */
function tomorrow() {
  const day = (new Date().getUTCDay() + 1) % 7 || 7;
  return [{ zone: 'UTC', days: [day], from: '09:00', to: '10:00' }];
}

async function pauseQueue(): Promise<void> {
  const queues = openQueues({ redis: redis.url, prefix: redis.prefix, catalogue });
  await queues.find(({ name }) => name === 'outreach')?.pause();
  await Promise.all(queues.map((queue) => queue.close()));
}

function throttle(): never {
  throw new ThrottledError({ retryAfterMs: 600_000 });
}

describe('R13 why an account is stuck, each situation made for real', () => {
  it('over its rate', async () => {
    const { api, limit } = await start();
    await limit({ limit: 1, perMs: 60_000 });
    await enqueue(api, 3);
    await startWorker(redis, () => null);
    await explained(
      api,
      new RegExp(
        String.raw`^2 jobs wait because this account may start 1 a minute; the next goes at ${time} \(UTC\), the last about ${time} \(UTC\)\.$`,
      ),
    );
  });

  it('at its cap', async () => {
    const { api, limit } = await start();
    const { handler, open } = gatedHandler();
    await limit({ maxInFlight: 2 });
    await enqueue(api, 5);
    await startWorker(redis, handler);
    await explained(api, /^3 jobs wait because all 2 allowed at once are still running\.$/);
    open();
    await explained(
      api,
      new RegExp(String.raw`^Nothing is waiting; the last job succeeded at ${time} \(UTC\)\.$`),
    );
  });

  it('outside its hours, in local time', async () => {
    const { api } = await start();
    await api.call('PUT', '/v1/accounts/a1', { body: { windows: tomorrow() } });
    await enqueue(api, 2);
    await startWorker(redis, () => null);
    await explained(
      api,
      /^Nothing starts until the hours of this account begin on \w+day at 09:00 \(UTC\); 2 jobs wait\.$/,
    );
  });

  it('paused, and then outside its hours', async () => {
    const { api } = await start();
    await api.call('POST', '/v1/accounts/a1/pause', { token: api.tokens.limits });
    await explained(api, /, until someone resumes it\. Nothing is waiting, and no job has succeeded yet\.$/);
    await enqueue(api, 1);
    await startWorker(redis, () => null);
    const paused = String.raw`^Nothing starts because limits paused this account at ${time} \(UTC\); 1 job waits until someone resumes it\.`;
    await explained(api, new RegExp(`${paused}$`));
    await api.call('PUT', '/v1/accounts/a1', { body: { windows: tomorrow() } });
    await explained(
      api,
      new RegExp(
        `${paused} Once resumed, the hours of the account still hold it until \\w+day 09:00 \\(UTC\\)\\.$`,
      ),
    );
    await api.call('POST', '/v1/accounts/a1/resume');
    await explained(api, /^Nothing starts until the hours of this account begin/);
  });

  it('throttled by the outside', async () => {
    const { api } = await start();
    await enqueue(api, 3);
    await startWorker(redis, throttle, { slots: 1 });
    await explained(
      api,
      new RegExp(
        String.raw`^The provider behind email asked us to slow down; 3 jobs wait and can start again at ${time} \(UTC\)\.$`,
      ),
    );
  });

  it('the total of its group is reached', async () => {
    const { api } = await start();
    await enqueue(api, 1, 'a0', 'sms');
    await startWorker(redis, () => null);
    await explained(api, /^Nothing is waiting; the last job/, 'a0');
    await enqueue(api, 1, 'a1', 'sms');
    await explained(
      api,
      new RegExp(
        String.raw`^This account is within its limits, but all accounts together reached the sms total; its next turn comes at ${time} \(UTC\), and 1 job waits\.$`,
      ),
    );
  });

  it('all its jobs failed and will be tried again', async () => {
    const { api } = await start();
    await enqueue(api, 2);
    await startWorker(redis, () => {
      throw new RetryableError({ retryAfterMs: 600_000 });
    });
    await explained(
      api,
      new RegExp(
        String.raw`^Nothing is due: 2 jobs failed and will be tried again, the first at ${time} \(UTC\)\.$`,
      ),
    );
  });

  it('its jobs were put off while the ledger of effects was away: nothing failed', async () => {
    const { api } = await start();
    const away = createRedisLedger({ redis: { port: await freePort() }, prefix: '{away}' });
    onTestFinished(() => away.close());
    await enqueue(api, 2);
    await startWorker(redis, (_payload, { effect }) => effect('send', { perform: async () => null }), {
      ledger: away,
    });
    await explained(
      api,
      new RegExp(
        String.raw`^Nothing is due: 2 jobs were put off and will be tried again, the first at ${time} \(UTC\)\. Reason given: The ledger of effects cannot be reached\.$`,
      ),
    );
  });

  it('the workers are busy with others', async () => {
    const { api } = await start();
    const { handler, started } = gatedHandler();
    await startWorker(redis, handler, { slots: 1 });
    await api.call('POST', '/v1/jobs/message.send', { body: message({ accountId: 'a0', leadId: 'busy' }) });
    await expect.poll(() => started.has('busy')).toBe(true);
    await enqueue(api, 4);
    await explained(
      api,
      /^No limit applies: 4 jobs wait for a turn while the only slot serves other accounts\.$/,
    );
    await explained(api, /^1 job is running and nothing waits\.$/, 'a0');
  });

  it('no worker has ever served its queue, and none does since one has stopped; then it is over its rate too', async () => {
    const { api, limit } = await start();
    await enqueue(api, 2);
    await explained(
      api,
      /^Nothing can start because no worker serves "outreach"; 2 jobs wait: tell the on-call\.$/,
    );
    const worker = await startWorker(redis, () => null);
    await explained(api, /^Nothing is waiting; the last job succeeded/);
    await worker.close();
    await limit({ limit: 1, perMs: 60_000 });
    await enqueue(api, 2);
    const since = `Nothing can start because no worker has served "outreach" since ${time} \\(UTC\\)`;
    await explained(api, new RegExp(`^${since}; 2 jobs wait: tell the on-call\\.`));
    const next = await startWorker(redis, () => null);
    await explained(api, /^1 job waits because this account may start 1 a minute/);
    await next.close();
    await explained(
      api,
      new RegExp(
        `^${since}; 1 job waits: tell the on-call\\. Even then, the limit of 1 a minute still holds it until ${time} \\(UTC\\)\\.$`,
      ),
    );
  });

  it('its queue is paused, and then the account too', async () => {
    const { api } = await start();
    await startWorker(redis, () => null);
    await pauseQueue();
    await enqueue(api, 2);
    await explained(
      api,
      /^The queue "outreach" is paused for every account; 2 jobs wait there until someone resumes it\.$/,
    );
    await api.call('POST', '/v1/accounts/a1/pause');
    await explained(
      api,
      /; 2 jobs wait until someone resumes it\. Once resumed, the pause of the queue "outreach" still holds it\.$/,
    );
  });

  it('A22 no running worker can handle its jobs; a third cause is counted', async () => {
    const { api } = await start();
    await startWorker(redis, undefined);
    await enqueue(api, 2);
    await explained(
      api,
      /^2 jobs wait because no running worker can handle message\.send version 1; a deployment is needed\.$/,
    );
    await api.call('PUT', '/v1/accounts/a1', { body: { windows: tomorrow() } });
    await api.call('POST', '/v1/accounts/a1/pause');
    await explained(
      api,
      /^Nothing starts because operator paused .* Once resumed, 2 jobs still need a worker that can handle message\.send version 1\. And 1 more below\.$/,
    );
  });

  it('an outcome is unknown and waits for a person, also while others wait', async () => {
    const { api } = await start();
    await deadJobs(redis, api, Outside.hangsUp, [{}, {}]);
    const unknown = '2 jobs may have been carried out; they are not repeated until a person decides\\.';
    await explained(api, new RegExp(`^${unknown}$`));
    await deadJobs(redis, api, Outside.refuses);
    await explained(api, new RegExp(`^${unknown}\\n1 job failed for good, refused by the other side\\.$`));
    await enqueue(api, 1);
    await explained(api, new RegExp(`^Nothing can start .*\\.\\n${unknown} 1 job failed for good`));
  });

  it('all its jobs are dead', async () => {
    const { api } = await start();
    await enqueue(api, 2);
    await startWorker(redis, () => {
      throw new PermanentError({ code: 'target_gone' });
    });
    await explained(api, /^Nothing is waiting: 2 jobs failed for good, recipient gone\.$/);
  });
});
