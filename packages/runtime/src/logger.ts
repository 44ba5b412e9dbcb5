import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

export interface LoggerOptions {
  /** Name of the process, in every line: `api`, `worker`, `board`. */
  app: string;
  level: string;
  destination?: DestinationStream;
  /**
   * Lines are written several at a time, at most {@link GATHERED_MS} late: for those that are many and tell little
   * each. A process that is killed loses what it has not written yet; one that exits does not.
   */
  gather?: boolean;
}

const GATHERED_MS = 100;
const GATHERED_BYTES = 4_096;

/** Fields that hold secrets or customers' data wherever they stand, at the top or one level down. */
const sensitive = [
  'authorization',
  'cookie',
  'password',
  'passwordHash',
  'token',
  'tokenHash',
  'secret',
  'apiKey',
  'redisUrl',
  'databaseUrl',
  'payload',
  'result',
  'body',
];

const paths = [
  ...sensitive.flatMap((field) => [field, `*.${field}`]),
  'req.headers.authorization',
  'req.headers.cookie',
  'headers.authorization',
  'headers.cookie',
];

/**
 * What a line may hold of an error. An allow-list, since libraries hang data on their errors:
 * ioredis adds the failed command with its arguments, which hold payloads.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error).slice(0, 1000) };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: error.stack,
    ...(cause !== undefined && depth < 4 ? { cause: describeError(cause, depth + 1) } : {}),
  };
}

/** Leaves alone what is described already, as a text or by {@link describeError}. */
function describeIfError(value: unknown): unknown {
  return value instanceof Error ? describeError(value) : value;
}

/** JSON lines on stdout, without secrets, payloads or results. */
export function createLogger({ app, level, destination, gather = false }: LoggerOptions): Logger {
  const options = {
    level,
    base: { app, pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths, censor: '[redacted]' },
    serializers: {
      err: describeIfError,
      error: describeIfError,
    },
  };
  if (destination) return pino(options, destination);
  if (!gather) return pino(options);
  const together = { sync: false, minLength: GATHERED_BYTES, periodicFlush: GATHERED_MS };
  return pino(options, pino.destination(together));
}
