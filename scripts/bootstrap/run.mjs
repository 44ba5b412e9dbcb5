import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import { onInterruption, unlessInterrupted } from './interruption.mjs';
import { ROOT } from './paths.mjs';

const GRACE_MS = 3_000;
const OUTPUT_BOUND = 256 * 1024;

/** Becomes the program once told so, when its guard is there already; ends if its parent dies before. */
const LAUNCH = 'read -r go && exec "$@" </dev/null';

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {'show' | 'capture'} [output] capture: kept, and written to `logFile` if given
 * @property {string} [logFile]
 * @property {number} [timeoutMs]
 */

/**
 * Runs a program in a process group of its own and ends that whole group when this command is
 * interrupted, dies, or the time is over: what npm, pnpm and vitest start in turn goes with them.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ ok: boolean, code: number | null, output: string }>}
 */
export async function run(command, args, options = {}) {
  const capture = options.output === 'capture';
  const child = spawn('/bin/sh', ['-c', LAUNCH, 'launch', command, ...args], {
    cwd: options.cwd ?? ROOT,
    env: options.env ?? process.env,
    detached: true,
    stdio: ['pipe', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
  });
  const record = recorder(options.logFile);
  child.stdout?.on('data', (data) => record.add(data));
  child.stderr?.on('data', (data) => record.add(data));

  const ended = new Promise((resolve) => {
    child.once('error', (error) => {
      record.add(Buffer.from(`${error.message}\n`));
      resolve(null);
    });
    child.once('close', (code) => resolve(code));
  });
  if (child.pid === undefined) {
    await ended;
    return { ok: false, code: null, output: record.text() };
  }

  const group = child.pid;
  const guard = startGuard(group);
  child.stdin?.on('error', () => undefined);
  child.stdin?.end('go\n');
  const forget = onInterruption(() => endGroup(group, ended));
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => void endGroup(group, ended), options.timeoutMs);
  const code = await ended;
  clearTimeout(timer);
  forget();
  guard.kill('SIGKILL');
  await unlessInterrupted();
  return { ok: code === 0, code, output: record.text() };
}

/** @param {string | undefined} logFile */
function recorder(logFile) {
  let text = '';
  if (logFile !== undefined) {
    mkdirSync(dirname(logFile), { recursive: true });
    rmSync(logFile, { force: true });
  }
  return {
    /** @param {Buffer} data */
    add(data) {
      text = (text + data.toString()).slice(-OUTPUT_BOUND);
      if (logFile !== undefined) appendFileSync(logFile, data);
    },
    text: () => text,
  };
}

/**
 * @param {number} group
 * @param {Promise<unknown>} ended
 */
async function endGroup(group, ended) {
  signalGroup(group, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(group, 'SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(timer);
  // The leader may have left members behind that ignored the first signal.
  signalGroup(group, 'SIGKILL');
}

/**
 * @param {number} group
 * @param {NodeJS.Signals} signal
 */
function signalGroup(group, signal) {
  try {
    process.kill(-group, signal);
  } catch {
    // Already empty.
  }
}

/**
 * A shell that holds the other end of a pipe: should this process be SIGKILLed, the pipe closes and the
 * shell ends the group.
 * @param {number} group
 */
function startGuard(group) {
  const guard = spawn(
    '/bin/sh',
    ['-c', 'read -r _; kill -s KILL -- "-$1" 2>/dev/null', 'guard', String(group)],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  return guard;
}
