import { describe, expect, it } from 'vitest';
import * as sdk from '../src/index.js';

describe('@fairlane/sdk', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(sdk).toSorted()).toEqual([
      'CLASSIFICATION',
      'DEAD_CODES',
      'DEFAULT_RETRY_POLICY',
      'DEFAULT_SETTLE_MS',
      'DefinitionError',
      'ERROR_CLASSES',
      'ERROR_CODES',
      'EffectDeferredError',
      'EffectMisuseError',
      'FairlaneError',
      'HELD_REASONS',
      'HttpError',
      'JOB_STATES',
      'PERMANENT_CODES',
      'PayloadError',
      'PermanentError',
      'RetryableError',
      'ThrottledError',
      'UnknownOutcomeError',
      'VersionAheadError',
      'classifyError',
      'classifyFailure',
      'createCatalogue',
      'decideEffect',
      'decideFailure',
      'defineJob',
      'defineLimitGroups',
      'defineQueues',
      'httpError',
      'identify',
      'implement',
      'jobIdOf',
      'maskSensitive',
      'nextDelayMs',
      'parsePayload',
      'parseRetryAfter',
      'readStoredPayload',
      'retryDelayMs',
      'sensitiveFields',
    ]);
  });
});
