import { describeLarge } from './large/large-suite.js';

// The same at full size, on every page and within the time that is promised: large.long.test.ts.
await describeLarge({
  dead: 500,
  accounts: 50,
  inlineCount: 10,
  limit: 50,
  rounds: 1,
  usableWithinMs: 20_000,
  only: /failed, last page|3 MB|jobs$|rare code/,
});
