import { useRedis } from '@fairlane/testkit/vitest';
import { describePayloadCrashes } from '../../test/support/payload-crash-suite.js';

/** More than either action has. */
const TO_THE_END = 1_000;
/** A few steps of each; crash.long.test.ts takes them all. */
const STEPS = { submit: [13, TO_THE_END], purge: [5, TO_THE_END] };

describePayloadCrashes(useRedis(), (action) => STEPS[action]);
