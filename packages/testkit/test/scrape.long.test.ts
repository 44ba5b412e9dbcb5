import { describeScrape } from './monitoring/scrape-suite.js';

describeScrape({ accounts: Number(process.env['SCRAPE_ACCOUNTS'] ?? 50_000), timeout: 30 * 60_000 });
