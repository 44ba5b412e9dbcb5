import { Command, Option } from 'commander';

import { positiveNumber, wholeNumber } from '../command/arguments.js';
import { LEDGERS, type Ledger } from '../deployment/deployment.js';

export interface DemoOptions {
  jobs: number;
  accounts: number;
  workers: number;
  kill: number;
  seed: number;
  file?: string;
  trace?: string;
  /** Compression of time with `trace`; left out: as fast as back-pressure allows. */
  speed?: number;
  sandbox?: string;
  against?: string;
  ledger: Ledger;
  json?: string;
  keep: boolean;
}

/** Command line of `npm run demo`. Prints help or a mistake and exits by itself. */
export function parseDemoOptions(argv: readonly string[]): DemoOptions {
  const command = new Command('npm run demo --')
    .description(
      'Runs one campaign through the HTTP API, real workers and an outside platform that misbehaves',
    )
    .option('--jobs <number>', 'size of the generated campaign', wholeNumber(1, 5_000_000), 3_000)
    .option('--accounts <number>', 'accounts of the generated campaign', wholeNumber(1, 100_000), 40)
    .option('--workers <number>', 'worker processes', wholeNumber(1, 64), 2)
    .option('--kill <number>', 'SIGKILL a busy worker that many times', wholeNumber(0, 1_000), 0)
    .option('--seed <number>', 'seed of campaign and faults', wholeNumber(0, 2 ** 31 - 1), 1)
    .option('--file <leads.ndjson>', 'send this campaign: one payload of outreach.send a line')
    .option('--trace <file.csv>', 'arrivals follow the CSV minute,account,jobs')
    .option('--speed <number>', 'with --trace: compress time that many times', positiveNumber)
    .option('--sandbox <url>', 'use a sandbox platform that is already running')
    .option(
      '--against <file>',
      'use a deployment that runs already, described by the JSON of --keep or npm start',
    )
    .addOption(new Option('--ledger <store>', 'store of effects').choices(LEDGERS).default('redis'))
    .option('--json <file>', 'write the summary to this file')
    .option('--keep', 'leave everything running and print the addresses', false);
  command.parse(argv, { from: 'user' });
  const options = command.opts<DemoOptions>();
  if (options.file !== undefined && options.trace !== undefined)
    command.error('--file and --trace exclude each other');
  if (options.speed !== undefined && options.trace === undefined) command.error('--speed needs --trace');
  if (options.against !== undefined && (options.kill > 0 || options.keep || options.sandbox !== undefined)) {
    command.error('--against uses a deployment as it is: no --kill, --keep or --sandbox with it');
  }
  return options;
}
