import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { makeApiDocs } from '../publish/api-docs.mjs';
import { ensureBuilt } from './build.mjs';
import { runChecks } from './checks.mjs';
import { ensureInstalled } from './install.mjs';
import { listenForInterruption, stopListening } from './interruption.mjs';
import { withLock } from './lock.mjs';
import { ROOT, STATE_DIR } from './paths.mjs';
import { ensureNode, testUnder } from './other-node.mjs';
import { findRedis } from './redis.mjs';
import { Problem, say } from './say.mjs';
import { sourceArguments } from './source.mjs';

/** @type {Record<string, (args: readonly string[]) => Promise<number | string>>} */
const COMMANDS = {
  demo: (args) => withRedis('packages/testkit/dist/demo/main.js', args),
  // What is ephemeral may not touch a server that was there before.
  start: (args) => withRedis('packages/testkit/dist/start/main.js', args, !args.includes('--ephemeral')),
  stop: (args) => runBuilt('packages/testkit/dist/stop/main.js', args),
  'contracts:check': () => runSource('scripts/contracts/main.ts', ['check']),
  'contracts:release': () => runSource('scripts/contracts/main.ts', ['release']),
  'new:job': (args) => runSource('scripts/new-job/main.ts', args),
  bench: (args) => withRedis('packages/bench/dist/main.js', args, false),
  check: (args) => check('check', args),
  test: (args) => check('test', args),
  'test:run': (args) => check('test:run', args),
  'test:long': (args) => check('test:long', args),
  'test:node': testUnderOtherNode,
  'docs:api': async () => {
    await prepare(ensureInstalled);
    return makeApiDocs();
  },
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
 * @param {string} file
 * @param {readonly string[]} args
 * @param {boolean} acceptUrl whether the server that REDIS_URL names will do
 */
async function withRedis(file, args, acceptUrl = true) {
  return runBuilt(file, args, () => provideRedis(acceptUrl));
}

/**
 * @param {string} file a program, run in this process: one less between the terminal and it
 * @param {readonly string[]} args
 * @param {(() => Promise<void>)[]} steps what it needs besides the build
 */
async function runBuilt(file, args, ...steps) {
  await prepare(ensureInstalled, ensureBuilt, ...steps);
  // From here on the program decides what an interruption means.
  stopListening();
  const path = join(ROOT, file);
  process.argv = [process.execPath, path, ...args];
  await import(pathToFileURL(path).href);
  return process.exitCode ?? 0;
}

/**
 * A program that needs no build, in a process of its own which has the terminal.
 * @param {string} file
 * @param {readonly string[]} args
 */
async function runSource(file, args) {
  await prepare(ensureInstalled);
  stopListening();
  const child = spawn(process.execPath, sourceArguments(file, args), { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code ?? 130;
}

/** @param {boolean} acceptUrl */
async function provideRedis(acceptUrl) {
  const redis = await findRedis({ acceptUrl });
  if ('command' in redis) process.env['FAIRLANE_REDIS_SERVER'] = redis.command;
}

/**
 * @param {import('./checks.mjs').Suite} suite
 * @param {readonly string[]} args
 */
async function check(suite, args) {
  await prepare(ensureInstalled);
  // Tests stop, kill and fill servers, so they never get one that somebody else uses.
  if (suite !== 'check') await prepare(() => provideRedis(false));
  return runChecks(suite, args, () => prepare(ensureBuilt));
}

/** @param {readonly string[]} args the version, then what `npm test` takes */
async function testUnderOtherNode([version = '', ...args]) {
  let program = '';
  await prepare(async () => {
    program = await ensureNode(version);
  });
  return testUnder(program, args);
}

/** @param {(() => Promise<void>)[]} steps */
async function prepare(...steps) {
  await withLock(join(STATE_DIR, 'lock'), say, async () => {
    for (const step of steps) await step();
  });
}
