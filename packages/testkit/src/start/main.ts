import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';

import { runCommand } from '../command/run-command.js';
import { createRunDir, STATE_DIR } from '../command/state-dir.js';
import { startDeployment, type DeploymentOptions } from '../deployment/deployment.js';
import { writePrivateJson } from '../deployment/kept.js';
import { appEnvironment, fixedPort } from './app-environment.js';
import { claimFolder } from './folder-claim.js';
import { formatDeployment } from './format-deployment.js';
import { parseStartOptions } from './options.js';

const SANDBOX_ACCOUNTS = 40;

const options = parseStartOptions(process.argv.slice(2));
process.exitCode = await runCommand(async (interruption) => {
  const place = options.ephemeral ? await ephemeralPlace() : await lastingPlace();
  try {
    process.stderr.write(`fairlane: starting everything\n`);
    const deployment = await startDeployment({
      ...place.options,
      workers: options.workers,
      ledger: options.ledger,
      sandboxUrl: options.sandbox,
      sandboxSeed: 1,
      sandboxAccounts: SANDBOX_ACCOUNTS,
      env: appEnvironment(),
      onCasualty: ({ name, logFile }) =>
        interruption.abort(new Error(`${name} ended unexpectedly, see ${logFile}`)),
      signal: interruption.signal,
    });
    try {
      const description = deployment.describe();
      if (options.json !== undefined) await writePrivateJson(options.json, description);
      process.stdout.write(formatDeployment(description, place.options.dir));
      if (!interruption.signal.aborted) await once(interruption.signal, 'abort');
      process.stderr.write('fairlane: stopping everything\n');
    } finally {
      await deployment.stop();
    }
    // A signal is how this command is meant to end; anything else that ends it is a failure.
    if (interruption.received() === undefined) throw interruption.signal.reason;
    return 0;
  } finally {
    await place.leave();
  }
});

interface Place {
  options: Omit<
    DeploymentOptions,
    'workers' | 'ledger' | 'sandboxUrl' | 'sandboxSeed' | 'sandboxAccounts' | 'env' | 'onCasualty' | 'signal'
  >;
  leave(): Promise<void>;
}

async function ephemeralPlace(): Promise<Place> {
  const { dir } = await createRunDir('start');
  return {
    options: { dir, prefix: '{fairlane}', appendfsync: 'everysec' },
    leave: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Fixed ports, and a Redis whose content is still there the next time. */
async function lastingPlace(): Promise<Place> {
  const apiPort = await fixedPort('API_PORT', 3000);
  const boardPort = await fixedPort('BOARD_PORT', 3001);
  const dir = join(STATE_DIR, 'start');
  return {
    options: {
      dir,
      redisUrl: process.env['REDIS_URL'] || undefined,
      databaseUrl: process.env['DATABASE_URL'] || undefined,
      databaseDir: join(dir, 'postgres'),
      prefix: process.env['FAIRLANE_PREFIX'] || '{fairlane}',
      appendfsync: 'everysec',
      apiPort,
      boardPort,
    },
    leave: await claimFolder(dir),
  };
}
