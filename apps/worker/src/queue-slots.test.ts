import { catalogue } from '@fairlane/jobs/contracts';
import { EnvironmentError, parseEnv } from '@fairlane/runtime';
import { describe, expect, test } from 'vitest';
import { queueSlots } from './queue-slots.js';

const read = (WORKER_QUEUES?: string) =>
  parseEnv({ WORKER_QUEUES: queueSlots(catalogue) }, { WORKER_QUEUES }).WORKER_QUEUES;

describe('WORKER_QUEUES', () => {
  test('left out serves every queue of the catalogue with its slots', () => {
    expect(read()).toEqual([
      { name: 'critical', min: 10, max: 10 },
      { name: 'outreach', min: 10, max: 10 },
      { name: 'webhooks', min: 10, max: 10 },
      { name: 'bulk', min: 3, max: 3 },
      { name: 'analytics', min: 1, max: 1 },
    ]);
  });

  test('picks queues and their slots', () => {
    expect(read('critical:1-20,bulk:0-2')).toEqual([
      { name: 'critical', min: 1, max: 20 },
      { name: 'bulk', min: 0, max: 2 },
    ]);
  });

  test('refuses a queue that does not exist and names those that do', () => {
    expect(() => read('critcal:1-2')).toThrow(EnvironmentError);
    expect(() => read('critcal:1-2')).toThrow(/WORKER_QUEUES: names no queue: critcal; there are critical, /);
  });
});
