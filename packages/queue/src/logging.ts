import type { JobLogger, LogMethod } from '@fairlane/sdk';

/** Where producer and consumer tell what happens to them; any pino logger fits. */
export type QueueLogger = JobLogger;

/** Used when none is given: warnings and errors as JSON lines on stderr, so that no failure goes unseen. */
export const defaultLogger: QueueLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: writer('warn'),
  error: writer('error'),
};

/** A logger whose lines all carry `fields`. */
export function bindLogger(logger: QueueLogger, fields: object): JobLogger {
  const bind = (level: keyof QueueLogger): LogMethod => {
    return (first: object | string, message?: string) => {
      if (typeof first === 'string') logger[level](fields, first);
      else logger[level]({ ...fields, ...first }, message);
    };
  };
  return { debug: bind('debug'), info: bind('info'), warn: bind('warn'), error: bind('error') };
}

/** The fields of a log line about an error. Redis errors hang the failed command with its arguments on themselves. */
export function describeError(error: unknown): { error: string; code?: string } {
  if (!(error instanceof Error)) return { error: String(error) };
  const { code } = error as { code?: unknown };
  return { error: error.message, ...(typeof code === 'string' ? { code } : {}) };
}

function writer(level: string): LogMethod {
  return (first: object | string, message?: string) => {
    const fields = typeof first === 'string' ? { message: first } : { ...first, message };
    const line = JSON.stringify({ level, time: new Date().toISOString(), ...fields });
    process.stderr.write(`${line}\n`);
  };
}
