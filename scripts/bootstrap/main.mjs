import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ensureBuilt } from './build.mjs';
import { runChecks } from './checks.mjs';
import { ensureInstalled } from './install.mjs';
import { listenForInterruption, stopListening } from './interruption.mjs';
import { withLock } from './lock.mjs';
import { ROOT, STATE_DIR } from './paths.mjs';
import { findRedis } from './redis.mjs';
import { Problem, say } from './say.mjs';

/** @type {Record<string, (args: readonly string[]) => Promise<number>>} */
const COMMANDS = {
  demo: (args) => runBuilt('packages/testkit/dist/demo/main.js', args),
  start: (args) => runBuilt('packages/testkit/dist/start/main.js', args),
  bench: (args) => runBuilt('packages/bench/dist/main.js', args),
  test: (args) => check('test', args),
  'test:long': (args) => check('test:long', args),
};

/** @param {readonly string[]} argv */
export async function main(argv) {
  const [name = '', ...args] = argv;
  const command = COMMANDS[name];
  if (command === undefined) {
    say(`expected one of: ${Object.keys(COMMANDS).join(', ')}; got "${name}"`);
    process.exitCode = 2;
    return;
  }
  listenForInterruption();
  try {
    process.exitCode = await command(args);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}

/**
 * @param {string} file exports `main(args): Promise<exit code>`
 * @param {readonly string[]} args
 */
async function runBuilt(file, args) {
  await prepare(ensureInstalled, ensureBuilt);
  const redis = await findRedis();
  if ('command' in redis) process.env['FAIRLANE_REDIS_SERVER'] = redis.command;
  // From here on the command decides what an interruption means.
  stopListening();
  /** @type {{ main(args: readonly string[]): Promise<number> }} */
  const program = await import(pathToFileURL(join(ROOT, file)).href);
  return program.main(args);
}

/**
 * @param {'test' | 'test:long'} suite
 * @param {readonly string[]} args
 */
async function check(suite, args) {
  await prepare(ensureInstalled);
  // Tests stop, kill and fill servers, so they never get a server that somebody else uses.
  const redis = await findRedis({ acceptUrl: false });
  if ('command' in redis) process.env['FAIRLANE_REDIS_SERVER'] = redis.command;
  return runChecks(suite, args, () => prepare(ensureBuilt));
}

/** @param {(() => Promise<void>)[]} steps */
async function prepare(...steps) {
  await withLock(join(STATE_DIR, 'lock'), say, async () => {
    for (const step of steps) await step();
  });
}
