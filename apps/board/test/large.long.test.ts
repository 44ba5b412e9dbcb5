import { describeLarge } from './large/large-suite.js';

await describeLarge({
  dead: Number(process.env['LARGE_DEAD'] ?? 200_000),
  accounts: Number(process.env['LARGE_ACCOUNTS'] ?? 2_000),
  inlineCount: 100,
  limit: 500,
  rounds: 5,
  usableWithinMs: 2_000,
});
