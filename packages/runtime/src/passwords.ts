import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

// 16 MiB and about 50 ms a guess. Stored with each hash, so that it can be raised without breaking old ones.
const cost = { n: 16_384, r: 8, p: 1 };
const keyBytes = 32;
const maxMemoryBytes = 64 * 1024 * 1024;
const format = /^scrypt\$(\d{4,6})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/;

function derive(password: string, salt: Buffer, { n, r, p }: typeof cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: n, r, p, maxmem: maxMemoryBytes };
    scrypt(password.normalize('NFKC'), salt, keyBytes, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

export function isPasswordHash(text: string): boolean {
  return format.test(text);
}

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, cost);
  return ['scrypt', cost.n, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const match = format.exec(hash);
  if (!match) return false;
  const [, n, r, p, salt = '', key = ''] = match;
  const derived = await derive(password, Buffer.from(salt, 'base64url'), {
    n: Number(n),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(derived, Buffer.from(key, 'base64url'));
}
