import { describe, expect, it } from 'vitest';
import * as queue from '../src/index.js';

describe('@fairlane/queue', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(queue).toSorted()).toEqual([
      'InvalidOptionsError',
      'MAX_NAMED',
      'NO_CHANGES',
      'Patience',
      'RepeatedErrors',
      'UnavailableError',
      'WORKER_STATUSES',
      'capacityOf',
      'changesOf',
      'createBulkRunner',
      'createChangeFeed',
      'createConsumer',
      'createOperations',
      'createProducer',
      'createStatistics',
      'isClaimCheck',
      'isEnvelope',
      'isNothing',
      'mergeChanges',
      'openQueues',
      'parseJobData',
      'plainEffects',
    ]);
  });
});
