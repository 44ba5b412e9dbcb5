import { useRedis } from '@fairlane/testkit/vitest';
import { describePayloadCrashes } from '../../test/support/payload-crash-suite.js';

/** More than either action has: its end comes first. */
const MAX_STEPS = 60;

describePayloadCrashes(useRedis(), () => Array.from({ length: MAX_STEPS }, (_, at) => at + 1));
