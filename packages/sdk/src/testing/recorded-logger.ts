import type { JobLogger, LogMethod } from '../contract/handler.js';

/** What a handler has logged with `ctx.logger`. */
export interface LogLine {
  readonly level: keyof JobLogger;
  readonly message: string;
  readonly fields: object;
}

/** Logger that keeps its lines for the test to look at. */
export function recordedLogger(lines: LogLine[]): JobLogger {
  const method = (level: keyof JobLogger): LogMethod => {
    return (first: object | string, message: string = '') => {
      if (typeof first === 'string') lines.push({ level, message: first, fields: {} });
      else lines.push({ level, message, fields: first });
    };
  };
  return { debug: method('debug'), info: method('info'), warn: method('warn'), error: method('error') };
}
