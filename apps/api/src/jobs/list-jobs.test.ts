import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });

interface Page {
  readonly items: {
    id: string;
    account: string;
    state: string;
    name: string;
    tag?: string;
    createdAt: string;
  }[];
  readonly cursor: string | null;
}

async function list(api: ApiUnderTest, query = '', token?: string): Promise<Page> {
  const answer = await api.call('GET', `/v1/jobs?${query}`, token === undefined ? {} : { token });
  expect(answer.status).toBe(200);
  return answer.json as unknown as Page;
}

async function enqueue(api: ApiUnderTest, overrides: Record<string, unknown>, query = ''): Promise<string> {
  const { json } = await api.call('POST', `/v1/jobs/message.send${query}`, { body: message(overrides) });
  return String(json['id']);
}

describe('GET /v1/jobs', () => {
  it('lists jobs of all queues, newest first, each as its own view', async () => {
    const api = await start();
    const first = await enqueue(api, { accountId: 'a1' });
    const { json } = await api.call('POST', '/v1/jobs/alert.raise', {
      body: { accountId: 'a2', host: 'h1', readings: [] },
    });
    const third = await enqueue(api, { accountId: 'a3' });
    const { items, cursor } = await list(api);
    expect(items.map(({ createdAt }) => createdAt)).toEqual(
      items
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    );
    expect(new Set(items.map(({ id }) => id))).toEqual(new Set([third, json['id'], first]));
    expect(cursor).toBeNull();
    expect(items.find(({ id }) => id === first)).toEqual((await api.call('GET', `/v1/jobs/${first}`)).json);
  });

  it('filters by account, state, name, tag and time', async () => {
    const api = await start();
    const spring = await enqueue(api, { accountId: 'a1', campaign: 'spring' });
    const later = await enqueue(api, { accountId: 'a1' }, '?delayMs=60000');
    const other = await enqueue(api, { accountId: 'a2' });
    const ids = async (query: string) => (await list(api, query)).items.map(({ id }) => id);
    expect(await ids('account=a1')).toEqual([later, spring]);
    expect(await ids('account=a1&state=ready')).toEqual([spring]);
    expect(await ids('state=scheduled')).toEqual([later]);
    expect(await ids('state=dead')).toEqual([]);
    expect(await ids('state=cancelled')).toEqual([]);
    expect(await ids('tag=spring')).toEqual([spring]);
    expect(await ids('name=message.send&account=a2')).toEqual([other]);
    expect(await ids('name=alert.raise')).toEqual([]);
    expect(await ids('queue=outreach')).toHaveLength(3);
    expect(await ids('queue=bulk')).toEqual([]);
    expect(await ids('queue=none')).toEqual([]);
    expect(await ids(`since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    expect(await ids(`since=${new Date(Date.now() - 60_000).toISOString()}`)).toHaveLength(3);
    expect(await ids('account=__proto__')).toEqual([]);
  });

  it('pages through everything once, also while jobs are added', async () => {
    const api = await start();
    const all = new Set<string>();
    for (let job = 0; job < 25; job += 1) all.add(await enqueue(api, { accountId: `a${job % 3}` }));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const from: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page = await list(api, `limit=10${from}`);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.cursor;
      await enqueue(api, { accountId: 'late' });
    } while (cursor !== null && seen.length < 100);
    expect(new Set(seen.filter((id) => all.has(id)))).toEqual(all);
  });

  it('shows a token its own accounts only, and says nothing about others', async () => {
    const api = await start();
    const own = await enqueue(api, { accountId: 'own', campaign: 'spring' });
    await enqueue(api, { accountId: 'other', campaign: 'spring' });
    for (const role of ['own-producer', 'own-viewer', 'own-operator'] as const) {
      const token = api.tokens[role];
      for (const query of ['', 'account=own', 'tag=spring', 'state=ready']) {
        const { items, cursor } = await list(api, query, token);
        expect([role, query, items.map(({ id }) => id), cursor]).toEqual([role, query, [own], null]);
      }
      expect(await list(api, 'account=other', token)).toEqual({ items: [], cursor: null });
    }
  });

  it.each([
    'state=done',
    'limit=0',
    'since=yesterday',
    'cursor=x',
    'account=',
    'account=a&account=b',
    'more=1',
  ])('refuses the query %s', async (query) => {
    const api = await start();
    const { status, json } = await api.call('GET', `/v1/jobs?${query}`);
    expect([status, json['code']]).toEqual([400, 'invalid_request']);
  });
});
