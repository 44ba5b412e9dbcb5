import { useRedis } from '@fairlane/testkit/vitest';
import { testsOfMemory } from '../../test/support/memory-suite.js';

testsOfMemory(useRedis(), { jobs: 60, waves: 3 });
