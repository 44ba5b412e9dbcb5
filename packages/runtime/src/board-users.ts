import { z } from 'zod';
import { hashPassword, isPasswordHash, verifyPassword } from './passwords.js';

export const BOARD_ROLES = ['viewer', 'operator'] as const;
export type BoardRole = (typeof BOARD_ROLES)[number];

const boardUserSchema = z.object({
  // No colon: HTTP basic credentials end the user's name at the first one.
  user: z.string().regex(/^[^:\s]{1,64}$/, 'must be 1 to 64 characters without a colon or space'),
  passwordHash: z.string().refine(isPasswordHash, 'must be a hash in the form scrypt$N$r$p$salt$hash'),
  role: z.enum(BOARD_ROLES, { error: `must be one of ${BOARD_ROLES.join(', ')}` }),
});

export const boardUsersSchema = z
  .array(boardUserSchema, { error: 'must be a list of { user, passwordHash, role }' })
  .min(1, 'must hold at least one user')
  .refine(
    (users) => new Set(users.map(({ user }) => user)).size === users.length,
    'must not hold a user twice',
  );

export type BoardUser = z.output<typeof boardUserSchema>;

/** Checks a log-in. An unknown user costs the same time as a wrong password, so names cannot be found out. */
export function createUserVerifier(
  users: readonly BoardUser[],
): (user: string, password: string) => Promise<{ user: string; role: BoardRole } | undefined> {
  const byName = new Map(users.map((user) => [user.user, user]));
  let decoy: Promise<string> | undefined;
  return async (name, password) => {
    const known = byName.get(name);
    const hash = known?.passwordHash ?? (await (decoy ??= hashPassword('')));
    const matches = await verifyPassword(password, hash);
    return known && matches ? { user: known.user, role: known.role } : undefined;
  };
}
