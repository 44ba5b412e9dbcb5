import { describe, expect, it } from 'vitest';

import * as ledger from './index.js';

describe('@fairlane/ledger', () => {
  it('exports what its users need, and nothing else', () => {
    expect(Object.keys(ledger).toSorted()).toEqual([
      'EFFECT_STATES',
      'LedgerUnavailableError',
      'MAX_RESULT_BYTES',
      'StaleHolderError',
      'createEffectRunner',
      'createPostgresLedger',
      'createRedisLedger',
      'ledgerChoice',
      'migrateLedger',
      'openLedger',
    ]);
  });
});
