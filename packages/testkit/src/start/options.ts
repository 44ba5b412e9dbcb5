import { Command, Option } from 'commander';

import { wholeNumber } from '../command/arguments.js';
import { LEDGERS, type Ledger } from '../deployment/deployment.js';

export interface StartOptions {
  ephemeral: boolean;
  workers: number;
  ledger: Ledger;
  sandbox?: string;
  json?: string;
}

/** Command line of `npm start`. Prints help or a mistake and exits by itself. */
export function parseStartOptions(argv: readonly string[]): StartOptions {
  const command = new Command('npm start --')
    .description('Starts Redis, the API, the board, workers and a sandbox platform, and keeps them running')
    .option('--ephemeral', 'free ports and a private Redis that is removed at the end', false)
    .option('--workers <number>', 'worker processes', wholeNumber(1, 64), 2)
    .addOption(new Option('--ledger <store>', 'store of effects').choices(LEDGERS).default('redis'))
    .option('--sandbox <url>', 'use a sandbox platform that is already running')
    .option('--json <file>', 'write addresses and credentials to this file once everything is ready');
  command.parse(argv, { from: 'user' });
  return command.opts<StartOptions>();
}
