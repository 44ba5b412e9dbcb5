import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import process from 'node:process';

import { Command, InvalidArgumentError, Option } from 'commander';

import { campaignAccounts } from './campaign-accounts.js';
import { Platform } from './platform.js';
import { accountPatchesSchema } from './protocol.js';
import { ARRIVAL_SLACK_MS } from './rate-judge.js';
import { RELEASE } from './release.js';
import { createSandboxServer } from './server.js';

interface Arguments {
  host: string;
  port: number;
  seed: number;
  accounts: number;
  jobs: number;
  kinds: 'keys' | 'mixed';
  limits: boolean;
  faults: boolean;
  seconds: number;
  latencyMs: number;
  slackMs: number;
}

const command = new Command('sandbox')
  .description('The outside platform that receives messages, misbehaves on purpose and keeps the record')
  .option('--host <host>', 'address to listen on', '127.0.0.1')
  .option('--port <number>', 'port to listen on, 0 takes a free one', wholeNumber, 0)
  .option('--seed <number>', 'seed of every fault', wholeNumber, 1)
  .option('--accounts <number>', 'accounts that exist at the start', wholeNumber, 0)
  .option('--jobs <number>', 'size of the campaign that the accounts are made for', wholeNumber, 3_000)
  .option('--seconds <number>', 'time that a campaign should take under --limits', wholeNumber, 20)
  .option('--latency-ms <number>', 'time between applying a message and answering', wholeNumber, 0)
  .option('--slack-ms <number>', 'what a request may be late on its way', wholeNumber, ARRIVAL_SLACK_MS)
  .addOption(
    new Option('--kinds <kinds>', 'kinds of the accounts').choices(['keys', 'mixed']).default('keys'),
  )
  .option('--limits', 'give the accounts rate limits', false)
  .option('--no-faults', 'the accounts behave');

const options = command.parse().opts<Arguments>();
const platform = new Platform(options);
if (options.accounts > 0) {
  const accounts = accountPatchesSchema.parse(campaignAccounts(options));
  for (const account of [accounts].flat()) platform.setAccount(account, 0);
}

const server = createSandboxServer(platform, options);
server.listen(options.port, options.host);
await Promise.race([
  once(server, 'listening'),
  once(server, 'error').then(([error]: unknown[]) => {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`sandbox: cannot listen on ${options.host}:${options.port}: ${reason}\n`);
    process.exit(1);
  }),
]);

const { port } = server.address() as AddressInfo;
const listening = { url: `http://${options.host}:${port}`, pid: process.pid, seed: options.seed };
process.stdout.write(`${JSON.stringify(listening)}\n`);
process.send?.(listening);

function stop(): void {
  server.close(() => process.exit(0));
  server.closeAllConnections();
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
// The channel to the parent closes when the parent dies, by SIGKILL too.
process.once('disconnect', stop);
process.on('message', (message) => {
  if (message !== RELEASE) return;
  process.off('disconnect', stop);
  process.send?.(RELEASE);
});

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError('must be a whole number >= 0');
  return value;
}
