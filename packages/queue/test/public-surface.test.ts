import { describe, expect, it } from 'vitest';
import * as queue from '../src/index.js';

describe('@fairlane/queue', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(queue).toSorted()).toEqual([
      'GenerationMismatchError',
      'InvalidOptionsError',
      'Patience',
      'UnavailableError',
      'createConsumer',
      'createOperations',
      'createProducer',
      'createStatistics',
      'isClaimCheck',
      'isEnvelope',
      'openQueues',
      'parseJobData',
      'plainEffects',
    ]);
  });
});
