import { useRedis } from '@fairlane/testkit/vitest';
import { ReplyError } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { unpackReplies } from './packed-replies.js';

const redis = useRedis();

/** What Redis makes of a Lua value, and what is made of it when the script has packed it. */
async function bothWays(lua: string): Promise<[plain: unknown, packed: unknown]> {
  const plain = await redis.client.eval(`return { ${lua} }`, 0);
  const bytes = (await redis.client.callBuffer('EVAL', `return cmsgpack.pack({ ${lua} })`, 0)) as Buffer;
  return [(plain as unknown[])[0], unpackReplies(bytes, 1)[0]];
}

describe('replies that a script has packed', () => {
  it.each([
    ['text', `'Grüße \\0 from \\226\\130\\172'`],
    ['bytes that are no text', `'\\255\\254"'`],
    ['small numbers', '{ 0, 1, -1, -6, 127, 128, 300, -300, 70000 }'],
    ['a time in milliseconds', '1732990000123'],
    ['large whole numbers', '{ 4503599627370496, -4503599627370496, 4294967296, 2147483648 }'],
    ['fractions, which Redis cuts off', '{ 1732990000123.75, -1.5 }'],
    ['true and false', '{ true, false, 1 }'],
    ['nothing', '{}'],
    ['a status', `{ ok = 'DONE' }`],
    ['a long text', `string.rep('x', 100000)`],
    ['many values', `{ ${Array.from({ length: 300 }, (_none, at) => `'value ${at}'`).join(', ')} }`],
    [
      'a job that is handed out',
      `{ { 'name', 'send', 'ats', '1' }, 'id', 0, 0, { 0, 0, 'fence', 'token' } }`,
    ],
  ])('are what Redis would have given: %s', async (_what, lua) => {
    const [plain, packed] = await bothWays(lua);
    expect(plain).toBeDefined();
    expect(packed).toEqual(plain);
  });

  it('give an error the way Redis gives one', async () => {
    const [, packed] = await bothWays(`{ err = 'WRONGTYPE Operation against a key' }`);
    expect(packed).toBeInstanceOf(ReplyError);
    expect(packed).toMatchObject({ message: 'WRONGTYPE Operation against a key' });
  });
});
