import { describeLarge } from './large/large-suite.js';

// The same at full size, with the time that is promised: large.long.test.ts.
await describeLarge({ dead: 1_000, accounts: 50, inlineCount: 10, rounds: 1, usableWithinMs: 15_000 });
