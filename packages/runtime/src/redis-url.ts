import { z } from 'zod';

/** How ioredis reaches the master that Sentinels know. */
export interface SentinelSettings {
  readonly sentinels: { readonly host: string; readonly port: number }[];
  /** Of the master. */
  readonly name: string;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  readonly tls?: Record<string, never>;
  readonly sentinelTLS?: Record<string, never>;
  readonly enableTLSForSentinelMode?: boolean;
  /** A Sentinel that answers nothing is not waited for, the next one is asked. */
  readonly sentinelCommandTimeout: number;
}

/** A URL that ioredis reads itself, or the options of a connection through Sentinels. */
export type RedisLocation = string | SentinelSettings;

const SENTINEL = /^(rediss?)\+sentinel:\/\/(?:([^@/]*)@)?([^@/?]+)\/([\w.-]+)(?:\/(\d{1,5}))?(?:\?(.*))?$/;
const HOST = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/;
const SENTINEL_PORT = 26_379;
const SENTINEL_TIMEOUT_MS = 2_000;

const message =
  'must be a URL that starts with redis:// or rediss://, or redis+sentinel://HOST:PORT,HOST:PORT/MASTER (rediss+sentinel:// with TLS)';
/** What stands behind the host of a plain URL: nothing, or the number of a database. */
const DATABASE = /^\/?$|^\/\d{1,5}$/;
const databaseMessage =
  'must end after the host and port, or with the number of a database, as in redis://HOST:6379/2';

/** `REDIS_URL`. Messages are our own: the value may hold a password. */
export const redisUrl = z.string().transform((text, context): RedisLocation => {
  const plain = readPlain(text);
  const location = plain === undefined ? readSentinels(text) : text;
  // The client would go on in database 0 when the server does not know the one that is named.
  const isDatabase = plain === undefined || DATABASE.test(plain.pathname);
  if (location !== undefined && isDatabase) return location;
  context.addIssue({ code: 'custom', message: isDatabase ? message : databaseMessage });
  return z.NEVER;
});

function readPlain(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return ['redis:', 'rediss:'].includes(url.protocol) ? url : undefined;
}

/** Undefined for what is no such URL. It names several hosts, which the parsers of URLs refuse. */
function readSentinels(text: string): SentinelSettings | undefined {
  const [, scheme, account = '', hosts = '', name = '', db, query = ''] = SENTINEL.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  const sentinels = hosts.split(',').map((host) => {
    const [, ipv6, plain, port] = HOST.exec(host) ?? [];
    return { host: ipv6 ?? plain ?? '', port: port === undefined ? SENTINEL_PORT : Number(port) };
  });
  if (sentinels.some(({ host, port }) => host === '' || port > 65_535)) return undefined;
  const asked = new URLSearchParams(query);
  const known = new Set(['sentinelUsername', 'sentinelPassword']);
  if ([...asked.keys()].some((key) => !known.has(key))) return undefined;
  const at = account.indexOf(':');
  try {
    return {
      sentinels,
      name,
      ...given('username', decodeURIComponent(at < 0 ? account : account.slice(0, at))),
      ...given('password', at < 0 ? '' : decodeURIComponent(account.slice(at + 1))),
      ...(db === undefined ? {} : { db: Number(db) }),
      ...given('sentinelUsername', asked.get('sentinelUsername') ?? ''),
      ...given('sentinelPassword', asked.get('sentinelPassword') ?? ''),
      ...(scheme === 'rediss' ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
      sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    };
  } catch {
    // Not percent-encoded as it should be.
    return undefined;
  }
}

function given<K extends string>(key: K, value: string): { [key in K]?: string } {
  return value === '' ? {} : ({ [key]: value } as { [key in K]?: string });
}
