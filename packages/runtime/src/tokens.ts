import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** `operator` may do everything; the other three are independent of each other. */
export const ROLES = ['producer', 'viewer', 'limits', 'operator'] as const;
export type Role = (typeof ROLES)[number];

const fields = {
  id: z.string().regex(/^[\w.:-]{1,64}$/, 'must be 1 to 64 letters, digits or ._:-'),
  tokenHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the sha256 of the token in 64 lower-case hex digits'),
  role: z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` }),
  accounts: z
    .array(z.string().min(1).max(256), { error: 'must be a list of account ids' })
    .min(1, 'must name at least one account, or be left out for all accounts')
    .optional(),
};
// Strict: with `account` for `accounts` the token would reach every account.
const tokenSchema = z.strictObject(fields, {
  error: ({ code }) =>
    code === 'unrecognized_keys' ? `must hold nothing but ${Object.keys(fields).join(', ')}` : undefined,
});

export const tokensSchema = z
  .array(tokenSchema, { error: 'must be a list of { id, tokenHash, role, accounts? }' })
  .min(1, 'must hold at least one token')
  .refine((tokens) => new Set(tokens.map(({ id }) => id)).size === tokens.length, 'must not hold an id twice')
  .refine(
    (tokens) => new Set(tokens.map(({ tokenHash }) => tokenHash)).size === tokens.length,
    'must not hold a token twice',
  );

const plainToken = z
  .string()
  .regex(/^[\w~+/.-]{16,512}=*$/, 'must be the token itself, as the API takes it after "Bearer"');

/** With which tokens the board asks the API: one for each role of its users. */
export const boardApiTokensSchema = z.strictObject(
  { viewer: plainToken, operator: plainToken },
  { error: 'must be { viewer, operator }, a token of the API for each' },
);

export type BoardApiTokens = z.output<typeof boardApiTokensSchema>;

export type TokenRecord = z.output<typeof tokenSchema>;

/** Who makes a request. `accounts` undefined means every account. */
export interface Principal {
  id: string;
  role: Role;
  accounts: ReadonlySet<string> | undefined;
}

/** A fresh 256-bit token. Only its {@link hashToken} is stored. */
export function generateToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Tokens are random and long, so a plain sha256 is enough; passwords need {@link hashPassword}. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Answers who holds a presented token, in a time that does not depend on the token or on the match. */
export function createTokenVerifier(
  records: readonly TokenRecord[],
): (token: string) => Principal | undefined {
  const known = records.map(({ id, tokenHash, role, accounts }) => ({
    digest: Buffer.from(tokenHash),
    principal: { id, role, accounts: accounts && new Set(accounts) } satisfies Principal,
  }));
  return (token) => {
    // As hex digits, which Node's hash gives in half the time that it takes for a buffer.
    const presented = Buffer.from(hashToken(token));
    let found: Principal | undefined;
    for (const { digest, principal } of known) {
      if (timingSafeEqual(digest, presented)) found = principal;
    }
    return found;
  };
}

/** The token of an `Authorization: Bearer ...` header. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer ([\w~+/.-]{1,512}=*)$/i.exec(header ?? '')?.[1];
}
