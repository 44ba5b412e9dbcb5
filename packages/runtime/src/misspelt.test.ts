import { describe, expect, it } from 'vitest';
import { parseEnv } from './environment.js';
import { findMisspelt } from './misspelt.js';
import { variables } from './variables.js';

const known = Object.keys(variables);

describe('misspelt variables', () => {
  it.each([
    ['FAIRLANE_LEGDER', 'FAIRLANE_LEDGER'],
    ['FAIRLANE_BLOBSTORE', 'FAIRLANE_BLOB_STORE'],
    ['FAIRLANE_TOKEN', 'FAIRLANE_TOKENS'],
    ['FAIRLANE_BLOB', 'FAIRLANE_BLOB_STORE'],
    ['WORKER_QUEUE', 'WORKER_QUEUES'],
    ['WORKER_LEASE', 'WORKER_LEASE_MS'],
    ['WORKER_GRACE_S', 'WORKER_GRACE_MS'],
  ])('%s is meant to be %s', (name, meant) => {
    expect(findMisspelt([name], known)).toEqual([{ name, meant }]);
  });

  it.each([...known, 'WORKER_SERVICE_HOST', 'WORKER_PORT', 'FAIRLANE_API_PORT', 'REDIS_URI', 'HOSTS'])(
    '%s is left alone',
    (name) => {
      expect(findMisspelt([name], known)).toEqual([]);
    },
  );

  it('stop a process, since what they were meant to change would stay as it is without a word', () => {
    const { FAIRLANE_LEDGER } = variables;
    expect(() => parseEnv({ FAIRLANE_LEDGER }, { FAIRLANE_LEGDER: 'postgres' })).toThrow(
      'FAIRLANE_LEGDER: is read by nothing; is it meant to be FAIRLANE_LEDGER?',
    );
    const { REDIS_URL } = variables;
    expect(() => parseEnv({ REDIS_URL }, { WORKER_QUEUE: 'bulk:1-2' })).toThrow(
      /WORKER_QUEUE: .* WORKER_QUEUES\?; REDIS_URL: must be set/,
    );
  });
});
