import { describe, expect, it } from 'vitest';

import { useOutside } from './use-outside.js';

const outside = useOutside();
const post = async (body: string) => fetch(`${outside.url}/charges?dry=1`, { method: 'POST', body });

describe('useOutside', () => {
  it('answers as it was told, then with 200, and keeps what it got', async () => {
    outside.answerWith({ status: 429, headers: { 'retry-after': '7' } }, { body: { id: 1 } });
    const first = await post('{"amount":3}');
    expect([first.status, first.headers.get('retry-after'), await first.json()]).toEqual([429, '7', {}]);
    expect(await (await post('plain')).json()).toEqual({ id: 1 });
    expect((await post('')).status).toBe(200);
    expect(outside.calls.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/charges?dry=1', { amount: 3 }],
      ['POST', '/charges?dry=1', 'plain'],
      ['POST', '/charges?dry=1', ''],
    ]);
  });

  it('breaks a connection once it has read the request', async () => {
    outside.answerWith({ cut: true });
    await expect(post('{}')).rejects.toThrow('fetch failed');
    expect(outside.calls).toHaveLength(1);
  });

  it('knows nothing of the test before', () => {
    expect(outside.calls).toEqual([]);
  });
});
