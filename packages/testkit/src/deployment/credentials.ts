import { createHash, randomBytes, scryptSync } from 'node:crypto';

const TOKEN_ROLES = ['producer', 'viewer', 'limits', 'operator'] as const;
const BOARD_ROLES = ['viewer', 'operator'] as const;

export type TokenRole = (typeof TOKEN_ROLES)[number];
export type BoardRole = (typeof BOARD_ROLES)[number];

export interface Credentials {
  tokens: Record<TokenRole, string>;
  boardUsers: Record<BoardRole, { user: string; password: string }>;
  /** What the apps get: hashes only. */
  env: { FAIRLANE_TOKENS: string; BOARD_USERS: string };
}

/** Fresh secrets, one per role. The apps never see them, as in production. */
export function createCredentials(): Credentials {
  const tokens = { producer: secret(), viewer: secret(), limits: secret(), operator: secret() };
  const boardUsers = {
    viewer: { user: 'viewer', password: secret() },
    operator: { user: 'operator', password: secret() },
  };
  const tokenRecords = TOKEN_ROLES.map((role) => ({
    id: role,
    role,
    tokenHash: createHash('sha256').update(tokens[role]).digest('hex'),
  }));
  const userRecords = BOARD_ROLES.map((role) => ({
    user: boardUsers[role].user,
    role,
    passwordHash: hashPassword(boardUsers[role].password),
  }));
  return {
    tokens,
    boardUsers,
    env: { FAIRLANE_TOKENS: JSON.stringify(tokenRecords), BOARD_USERS: JSON.stringify(userRecords) },
  };
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** The form BOARD_USERS documents; written out here, since testkit stands outside the packages it tests. */
function hashPassword(password: string): string {
  const cost = { N: 16_384, r: 8, p: 1 };
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, { ...cost, maxmem: 64 * 1024 * 1024 });
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}
