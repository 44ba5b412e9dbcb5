import { describe, expect, it } from 'vitest';

import { describeClaims } from './claim-contract.js';
import type { LedgerInTests } from './ledger-in-tests.js';
import { describeStarts } from './start-contract.js';
import { describeSweeps } from './sweep-contract.js';
import { describeVerdicts } from './verdict-contract.js';
import { describeViews } from './view-contract.js';

/** What every store has to do alike. `open` gives the ledger of the test file. */
export function describeLedgerContract(store: string, open: () => LedgerInTests): void {
  describe(`the ${store} ledger`, () => {
    describeStarts(open);
    describeClaims(open);
    describeViews(open);
    describeVerdicts(open);
    describeSweeps(open);

    it('can be checked', async () => {
      await expect(open().ledger.check()).resolves.toBeUndefined();
    });
  });
}
