import { describe, expect, it } from 'vitest';
import { createLogger, describeError } from './logger.js';

function capture() {
  const lines: string[] = [];
  const logger = createLogger({
    app: 'test',
    level: 'info',
    destination: { write: (line) => lines.push(line) },
  });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

describe('logger', () => {
  it('writes one JSON object a line with app, level and time', () => {
    const { logger, last } = capture();
    logger.info({ id: 'j1' }, 'accepted');
    expect(last()).toMatchObject({ app: 'test', level: 'info', id: 'j1', msg: 'accepted' });
    expect(Number.isNaN(Date.parse(String(last()['time'])))).toBe(false);
  });

  it('keeps secrets and payloads out', () => {
    const { logger, lines } = capture();
    logger.info({ payload: { to: 'hunter2' }, job: { payload: 'hunter2', result: 'hunter2' } });
    logger.info({ req: { headers: { authorization: 'Bearer hunter2', cookie: 'hunter2' } } });
    logger.info({ password: 'hunter2', user: { passwordHash: 'hunter2' }, token: 'hunter2' });
    expect(lines.join('')).not.toContain('hunter2');
    expect(lines.join('')).toContain('[redacted]');
  });

  it.each([
    ['as it was thrown', new TypeError('lost')],
    ['described', describeError(new TypeError('lost'))],
  ])('shows an error given %s', (_case, error) => {
    const { logger, last } = capture();
    logger.error({ error });
    expect(last()).toMatchObject({ error: { type: 'TypeError', message: 'lost' } });
  });

  it('keeps what libraries hang on their errors out', () => {
    const { logger, lines, last } = capture();
    const cause = Object.assign(new Error('inner'), { command: { name: 'set', args: ['hunter2'] } });
    const error = Object.assign(new Error('outer', { cause }), { code: 'E1', config: { auth: 'hunter2' } });
    logger.error({ err: error });
    logger.error({ error: describeError(error) });
    logger.error(error);
    expect(lines.join('')).not.toContain('hunter2');
    expect(last()['err']).toMatchObject({ message: 'outer', code: 'E1', cause: { message: 'inner' } });
  });

  it('describes anything that can be thrown', () => {
    for (const thrown of [undefined, null, 1n, Symbol('s'), {}, 'text']) {
      expect(describeError(thrown)).toMatchObject({ type: typeof thrown });
    }
  });
});
