import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { onInterruption } from './interruption.mjs';

const POLL_MS = 100;
const SETTLE_MS = 100;

/**
 * Runs `step` while no other process holds the lock: two commands started at once in one folder must
 * not install or build into each other. A holder that died is recognised, so nobody waits for a ghost.
 * @template T
 * @param {string} path
 * @param {(message: string) => void} onWait called once when another process holds it
 * @param {() => Promise<T>} step
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, step) {
  await acquire(path, onWait);
  const release = () => rmSync(path, { force: true });
  const forget = onInterruption(release);
  try {
    return await step();
  } finally {
    forget();
    release();
  }
}

/**
 * @param {string} path
 * @param {(message: string) => void} onWait
 */
async function acquire(path, onWait) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = identity(process.pid);
  const draft = `${path}.${process.pid}`;
  let waited = false;
  for (;;) {
    writeFileSync(draft, mine);
    const holder = readHolder(path);
    if (holder === undefined) {
      // A link appears with its content in one step, unlike a file that is created and then written.
      if (tryLink(draft, path)) {
        rmSync(draft);
        return;
      }
    } else if (identity(pidOf(holder)) === holder) {
      if (!waited)
        onWait(`another command (process ${pidOf(holder)}) is preparing this folder, waiting for it`);
      waited = true;
      await delay(POLL_MS);
    } else {
      // Two waiters may both find a dead holder; the later rename wins, so look again after a moment.
      renameSync(draft, path);
      await delay(SETTLE_MS);
      if (readHolder(path) === mine) return;
    }
  }
}

/** @param {string} path */
function readHolder(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} holder */
function pidOf(holder) {
  return Number(holder.split(' ')[0]);
}

/**
 * Process id and start time: ids are reused, most of all right after a reboot.
 * @param {number} pid
 */
function identity(pid) {
  return `${pid} ${startTime(pid) ?? 'gone'}`;
}

/** @param {number} pid */
function startTime(pid) {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    }
    // Field 22; the second one is a name in brackets that may hold spaces.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
  } catch {
    return undefined;
  }
}
