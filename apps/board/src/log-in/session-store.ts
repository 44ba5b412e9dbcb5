import { createHash, randomBytes } from 'node:crypto';
import type { BoardRole, BoardUser, connectRedis } from '@fairlane/runtime';

type Redis = ReturnType<typeof connectRedis>;

export interface Session {
  /** Secret; lives in the browser's cookie and nowhere else. */
  token: string;
  user: string;
  role: BoardRole;
  /** Sent by our own pages with each request that changes something. */
  csrfToken: string;
}

/** A working day. Not prolonged by use: a board left open polls for ever. */
export const SESSION_LIFETIME_MS = 12 * 3_600_000;

const tokenFormat = /^[\w-]{43}$/;

/**
 * Sessions in Redis, so that every replica knows them and a log-out ends them everywhere. Stored under a
 * hash of the token: whoever reads Redis cannot take a session over. The role is read from the configured
 * users each time, so removing a user or changing the password ends that user's sessions.
 */
export class SessionStore {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #users: ReadonlyMap<string, BoardUser>;

  constructor(redis: Redis, prefix: string, users: readonly BoardUser[]) {
    this.#redis = redis;
    this.#prefix = prefix;
    this.#users = new Map(users.map((user) => [user.user, user]));
  }

  async open(userName: string): Promise<Session> {
    const user = this.#users.get(userName);
    if (!user) throw new Error(`no board user is named ${userName}`);
    const token = randomBytes(32).toString('base64url');
    const record = JSON.stringify({ user: user.user, credential: digest(user.passwordHash) });
    await this.#redis.set(this.#key(token), record, 'PX', SESSION_LIFETIME_MS);
    return sessionOf(token, user);
  }

  async find(token: string): Promise<Session | undefined> {
    if (!tokenFormat.test(token)) return undefined;
    const record = await this.#redis.get(this.#key(token));
    if (record === null) return undefined;
    const { user: name, credential } = JSON.parse(record) as { user: string; credential: string };
    const user = this.#users.get(name);
    return user && digest(user.passwordHash) === credential ? sessionOf(token, user) : undefined;
  }

  async end(token: string): Promise<void> {
    await this.#redis.del(this.#key(token));
  }

  #key(token: string): string {
    return `${this.#prefix}:board-session:${digest(token)}`;
  }
}

function sessionOf(token: string, { user, role }: BoardUser): Session {
  return { token, user, role, csrfToken: digest(`csrf:${token}`) };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
