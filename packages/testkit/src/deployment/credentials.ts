import { createHash, randomBytes, scryptSync } from 'node:crypto';

const TOKEN_ROLES = ['producer', 'viewer', 'limits', 'operator'] as const;
const BOARD_ROLES = ['viewer', 'operator'] as const;

export type TokenRole = (typeof TOKEN_ROLES)[number];
export type BoardRole = (typeof BOARD_ROLES)[number];

export interface Credentials {
  tokens: Record<TokenRole, string>;
  boardUsers: Record<BoardRole, { user: string; password: string }>;
  /** What every app gets: hashes only. */
  env: { FAIRLANE_TOKENS: string; BOARD_USERS: string };
  /** What the board alone gets: tokens of its own, with which it asks the API for its users. */
  boardEnv: { BOARD_API_TOKENS: string };
}

/** Fresh secrets, one per role. The apps see hashes of them, as in production. */
export function createCredentials(): Credentials {
  const tokens = { producer: secret(), viewer: secret(), limits: secret(), operator: secret() };
  const boardUsers = {
    viewer: { user: 'viewer', password: secret() },
    operator: { user: 'operator', password: secret() },
  };
  const boardTokens = { viewer: secret(), operator: secret() };
  // An id is told as who did something: "limits paused this account" would read as if a limit had.
  const tokenRecords = [
    ...TOKEN_ROLES.map((role) => ({ id: `api-${role}`, role, tokenHash: hashToken(tokens[role]) })),
    ...BOARD_ROLES.map((role) => ({ id: `board-${role}`, role, tokenHash: hashToken(boardTokens[role]) })),
  ];
  const userRecords = BOARD_ROLES.map((role) => ({
    user: boardUsers[role].user,
    role,
    passwordHash: hashPassword(boardUsers[role].password),
  }));
  return {
    tokens,
    boardUsers,
    env: { FAIRLANE_TOKENS: JSON.stringify(tokenRecords), BOARD_USERS: JSON.stringify(userRecords) },
    boardEnv: { BOARD_API_TOKENS: JSON.stringify(boardTokens) },
  };
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
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
