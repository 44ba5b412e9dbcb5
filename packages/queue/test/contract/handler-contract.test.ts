import { useOutside, useRedis } from '@fairlane/testkit/vitest';
import { describe } from 'vitest';
import { describeAttempts } from './attempt-cases.js';
import { consumerHarness } from './consumer-harness.js';
import { describeCrashes } from './crash-cases.js';
import { describeEffects } from './effect-cases.js';
import { describeOpenEffects } from './open-effect-cases.js';
import { memoryHarness } from './memory-harness.js';

// What a handler meets in its tests is what it meets in production: one list of cases for both.
const redis = useRedis();
const outside = useOutside();

describe.each([memoryHarness, consumerHarness(redis)])('the contract of handlers, by $name', (harness) => {
  describeAttempts(harness);
  describeEffects(harness);
  describeOpenEffects(harness);
  describeCrashes(harness, outside);
});
