import { describe, expect, it } from 'vitest';
import { createUserVerifier } from './board-users.js';
import { hashPassword, isPasswordHash, verifyPassword } from './passwords.js';

describe('passwords', () => {
  it('match their own hash only', async () => {
    const hash = await hashPassword('correct horse');
    expect(isPasswordHash(hash)).toBe(true);
    expect(await verifyPassword('correct horse', hash)).toBe(true);
    expect(await verifyPassword('correct horse ', hash)).toBe(false);
    expect(await verifyPassword('', hash)).toBe(false);
  });

  it('are salted, and one text typed in two Unicode forms is one password', async () => {
    const hash = await hashPassword('caf\u00e9');
    expect(hash).not.toBe(await hashPassword('caf\u00e9'));
    expect(await verifyPassword('cafe\u0301', hash)).toBe(true);
  });

  it('never match something that is not a hash', async () => {
    for (const hash of ['', 'secret', 'scrypt$16384$8$1$$', 'scrypt$99999999$8$1$a$b']) {
      expect(await verifyPassword('secret', hash)).toBe(false);
    }
  });
});

describe('user verifier', () => {
  it('knows a user by the right password only', async () => {
    const passwordHash = await hashPassword('secret');
    const verify = createUserVerifier([{ user: 'ada', passwordHash, role: 'operator' }]);
    expect(await verify('ada', 'secret')).toEqual({ user: 'ada', role: 'operator' });
    expect(await verify('ada', 'wrong')).toBeUndefined();
    expect(await verify('eve', 'secret')).toBeUndefined();
    // The decoy that keeps the time of an unknown user even must not let one in.
    expect(await verify('eve', '')).toBeUndefined();
    expect(await verify('__proto__', 'secret')).toBeUndefined();
  });
});
