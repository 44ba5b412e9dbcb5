import { execFile } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { EnvironmentError, parseEnv, type Environment, type EnvironmentIssue } from './environment.js';
import { hashPassword } from './passwords.js';
import { hashToken } from './tokens.js';
import { variables } from './variables.js';

const { API_PORT, LOG_LEVEL, REDIS_URL, FAIRLANE_PREFIX, FAIRLANE_TOKENS, WORKER_QUEUES, BOARD_USERS } =
  variables;

function rejected(shape: Parameters<typeof parseEnv>[0], source: Record<string, string>): EnvironmentError {
  try {
    parseEnv(shape, source);
  } catch (error) {
    if (error instanceof EnvironmentError) return error;
    throw error;
  }
  throw new Error('the environment was accepted');
}

describe('parseEnv', () => {
  it('takes defaults for what is unset or empty', () => {
    expect(parseEnv({ API_PORT, LOG_LEVEL, FAIRLANE_PREFIX }, { API_PORT: '' })).toEqual({
      API_PORT: 3000,
      LOG_LEVEL: 'info',
      FAIRLANE_PREFIX: '{fairlane}',
    });
  });

  it('names every wrong variable in one message', () => {
    const error = rejected({ API_PORT, LOG_LEVEL, REDIS_URL }, { API_PORT: '70000', LOG_LEVEL: 'loud' });
    expect(error.variables.toSorted()).toEqual(['API_PORT', 'LOG_LEVEL', 'REDIS_URL']);
    expect(error.message).toBe(
      'API_PORT: must be a whole number from 0 to 65535; ' +
        'LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal, silent; REDIS_URL: must be set',
    );
  });

  it('lets variables be checked together when each is right', () => {
    const shape = { API_PORT, LOG_LEVEL };
    const check = vi.fn<(env: Environment<typeof shape>) => EnvironmentIssue[]>(() => [
      { variable: 'LOG_LEVEL', message: 'must be lower on this port' },
    ]);
    expect(() => parseEnv(shape, { API_PORT: '70000' }, check)).toThrow('API_PORT');
    expect(check).not.toHaveBeenCalled();
    expect(() => parseEnv(shape, {}, check)).toThrow('LOG_LEVEL: must be lower on this port');
    expect(parseEnv(shape, {}, () => [])).toMatchObject({ API_PORT: 3000 });
  });

  it.each([
    ['API_PORT', '-1'],
    ['API_PORT', '3000.5'],
    ['API_PORT', '0x10'],
    ['WORKER_LEASE_MS', '4999'],
    ['WORKER_LEASE_MS', '999999999999'],
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'http://localhost'],
    ['FAIRLANE_PREFIX', 'fairlane'],
    ['FAIRLANE_PREFIX', '{}'],
    ['FAIRLANE_LEDGER', 'mysql'],
    ['FAIRLANE_BLOB_STORE', '/var/blobs'],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes'],
    ['WORKER_QUEUES', 'bulk'],
    ['WORKER_QUEUES', 'bulk:3-1'],
    ['WORKER_QUEUES', 'bulk:0-0'],
    ['WORKER_QUEUES', 'bulk:1-2,bulk:1-2'],
    ['WORKER_QUEUES', 'bulk:1-2,'],
    ['HOST', 'a b'],
  ] as const)('refuses %s=%s', (name, value) => {
    const error = rejected({ [name]: variables[name] }, { [name]: value });
    expect(error.variables).toEqual([name]);
  });

  it('refuses the Postgres ledger without a database', () => {
    const { FAIRLANE_LEDGER, DATABASE_URL } = variables;
    const shape = { FAIRLANE_LEDGER, DATABASE_URL };
    const error = rejected(shape, { FAIRLANE_LEDGER: 'postgres' });
    expect(error.message).toBe('DATABASE_URL: must be set with FAIRLANE_LEDGER=postgres');
    const url = 'postgres://127.0.0.1/fairlane';
    expect(parseEnv(shape, { FAIRLANE_LEDGER: 'postgres', DATABASE_URL: url })).toMatchObject({
      DATABASE_URL: url,
    });
    expect(parseEnv(shape, {})).toEqual({ FAIRLANE_LEDGER: 'redis' });
  });

  it('reads the slots of each queue', () => {
    const { WORKER_QUEUES: queues } = parseEnv(
      { WORKER_QUEUES },
      { WORKER_QUEUES: 'critical:1-10, bulk:0-3' },
    );
    expect(queues).toEqual([
      { name: 'critical', min: 1, max: 10 },
      { name: 'bulk', min: 0, max: 3 },
    ]);
  });

  it('names the place inside a JSON variable', () => {
    const tokens = [{ id: 'a', tokenHash: hashToken('t'), role: 'admin' }];
    const error = rejected({ FAIRLANE_TOKENS }, { FAIRLANE_TOKENS: JSON.stringify(tokens) });
    expect(error.message).toBe('FAIRLANE_TOKENS[0].role: must be one of producer, viewer, limits, operator');
    expect(rejected({ FAIRLANE_TOKENS }, { FAIRLANE_TOKENS: '[{' }).message).toBe(
      'FAIRLANE_TOKENS: must be JSON',
    );
  });

  it('refuses a token with a field that is not one: `account` would leave it with every account', () => {
    const token = { id: 'a', tokenHash: hashToken('t'), role: 'operator', account: ['acme'] };
    const error = rejected({ FAIRLANE_TOKENS }, { FAIRLANE_TOKENS: JSON.stringify([token]) });
    expect(error.message).toBe('FAIRLANE_TOKENS[0]: must hold nothing but id, tokenHash, role, accounts');
  });

  it('refuses two tokens of one id, and one token of two ids', () => {
    const one = { id: 'a', tokenHash: hashToken('one'), role: 'viewer' };
    for (const two of [
      { ...one, tokenHash: hashToken('two') },
      { ...one, id: 'b' },
    ]) {
      expect(
        rejected({ FAIRLANE_TOKENS }, { FAIRLANE_TOKENS: JSON.stringify([one, two]) }).variables,
      ).toEqual(['FAIRLANE_TOKENS']);
    }
  });

  it('never repeats a value', async () => {
    const secret = 'hunter2-very-secret';
    const passwordHash = await hashPassword(secret);
    const wrong: Record<string, string> = {
      REDIS_URL: `http://user:${secret}@host`,
      LOG_LEVEL: secret,
      API_PORT: secret,
      FAIRLANE_PREFIX: `${secret}!`,
      FAIRLANE_TOKENS: JSON.stringify([
        { id: `${secret} `, tokenHash: secret, role: secret, accounts: secret },
      ]),
      BOARD_USERS: JSON.stringify([{ user: `${secret}:`, passwordHash: `${passwordHash}x`, role: secret }]),
      WORKER_QUEUES: secret,
    };
    const shape = {
      REDIS_URL,
      LOG_LEVEL,
      API_PORT,
      FAIRLANE_PREFIX,
      FAIRLANE_TOKENS,
      BOARD_USERS,
      WORKER_QUEUES,
    };
    const error = rejected(shape, wrong);
    expect(new Set(error.variables)).toEqual(new Set(Object.keys(wrong)));
    expect(error.message).not.toContain(secret);
    expect(error.message).not.toContain(passwordHash);
  });
});

describe('readEnv', () => {
  it('ends the process with one line and exit code 1', async () => {
    const script = `import { readEnv, variables } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
      readEnv({ API_PORT: variables.API_PORT }); console.log('started');`;
    const { code, stdout, stderr } = await run(script, { API_PORT: 'many' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'Cannot start, the environment is wrong. API_PORT: must be a whole number from 0 to 65535\n',
    );
  });
});

function run(script: string, env: Record<string, string>) {
  const args = ['--conditions=fairlane-source', '--import=tsx', '--input-type=module', '--eval', script];
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}
