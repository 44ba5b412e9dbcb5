import { z } from 'zod';
import { boardUsersSchema } from './board-users.js';
import { redisUrl } from './redis-url.js';
import { boardApiTokensSchema, tokensSchema } from './tokens.js';

// Messages are our own: a value may be a secret, and some of zod's defaults repeat parts of it.

function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

function url(protocols: string[]) {
  return z
    .string()
    .refine(
      (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol),
      `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    );
}

function oneOf<const T extends [string, ...string[]]>(values: T) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

/** Text that holds JSON, read by `schema`. */
function json<S extends z.ZodType>(schema: S) {
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

const boolean = oneOf(['true', 'false']).transform((value) => value === 'true');
const port = wholeNumber(0, 65_535);
const maxDurationMs = 24 * 3_600_000;

/** One queue that a worker serves, with the least and the most jobs it runs at once. */
export interface QueueSlots {
  name: string;
  min: number;
  max: number;
}

const queueSlots = z.string().transform((text, context): QueueSlots[] => {
  const queues = text.split(',').map((part): QueueSlots | undefined => {
    const match = /^\s*([a-z][a-z0-9_-]{0,63}):(\d{1,4})-(\d{1,4})\s*$/.exec(part);
    const [, name = '', min, max] = match ?? [];
    const slots = { name, min: Number(min), max: Number(max) };
    return match && slots.max >= 1 && slots.min <= slots.max ? slots : undefined;
  });
  const names = new Set(queues.map((queue) => queue?.name));
  if (queues.includes(undefined) || names.size !== queues.length) {
    const message =
      'must be name:min-max,... with each queue once and min <= max, as in "critical:1-10,bulk:0-3"';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
  return queues as QueueSlots[];
});

/** A variable that names what a job calls, such as `JOB_BILLING_CHARGE_URL`. */
export const jobUrl = url(['http:', 'https:']).optional();

/** Every environment variable of the three apps. An app reads those it needs with `readEnv`. */
export const variables = {
  // No default: nothing is written to a server that nobody named.
  REDIS_URL: redisUrl,
  // One hash tag keeps all keys in one slot of a Redis Cluster.
  FAIRLANE_PREFIX: z
    .string()
    .regex(/^[\w.-]{0,32}\{[\w.-]{1,32}\}[\w.-]{0,32}$/, 'must hold one hash tag, as in "{fairlane}"')
    .default('{fairlane}'),
  DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
  FAIRLANE_LEDGER: oneOf(['redis', 'postgres']).default('redis'),
  API_PORT: port.default(3000),
  BOARD_PORT: port.default(3001),
  WORKER_HEALTH_PORT: port.default(0),
  HOST: z
    .string()
    .regex(/^[\w.:-]{1,255}$/, 'must be a host name or an IP address')
    .default('127.0.0.1'),
  FAIRLANE_TOKENS: json(tokensSchema),
  BOARD_USERS: json(boardUsersSchema),
  FAIRLANE_API_URL: url(['http:', 'https:']).default('http://127.0.0.1:3000'),
  BOARD_API_TOKENS: json(boardApiTokensSchema).optional(),
  FAIRLANE_BLOB_STORE: z
    .string()
    .regex(/^(file:.+|s3:\/\/[^/]+(\/.*)?)$/, 'must be file:DIR or s3://BUCKET/PREFIX')
    .optional(),
  WORKER_QUEUES: queueSlots.optional(),
  WORKER_LEASE_MS: wholeNumber(5_000, maxDurationMs).default(30_000),
  WORKER_GRACE_MS: wholeNumber(0, maxDurationMs).default(30_000),
  OUTREACH_GATEWAY_URL: url(['http:', 'https:']),
  INCIDENT_WEBHOOK_URL: url(['http:', 'https:']).optional(),
  SUMMARY_BASE_URL: url(['http:', 'https:']).optional(),
  SUMMARY_API_KEY: z.string().optional(),
  SUMMARY_MODEL: z.string().optional(),
  WEBHOOK_ALLOW_PRIVATE: boolean.default(false),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
};

/** What is wrong with shared variables that are right one by one. */
export function conflicts(env: {
  readonly FAIRLANE_LEDGER?: unknown;
  readonly DATABASE_URL?: unknown;
}): { variable: string; message: string }[] {
  if (env.FAIRLANE_LEDGER !== 'postgres' || env.DATABASE_URL !== undefined) return [];
  return [{ variable: 'DATABASE_URL', message: 'must be set with FAIRLANE_LEDGER=postgres' }];
}
