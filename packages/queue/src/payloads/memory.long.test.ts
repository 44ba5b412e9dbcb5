import { useRedis } from '@fairlane/testkit/vitest';
import { testsOfMemory } from '../../test/support/memory-suite.js';

testsOfMemory(useRedis(), { jobs: Number(process.env['LARGE_JOBS'] ?? 20_000), waves: 20 });
