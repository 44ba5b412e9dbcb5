import { describeScrape } from './monitoring/scrape-suite.js';

// The same with 50,000 accounts: scrape.long.test.ts.
describeScrape({ accounts: 200, timeout: 120_000 });
