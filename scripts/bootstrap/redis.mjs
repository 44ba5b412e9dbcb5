import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';

import { canInstallDebianPackages, installDebianPackage } from './debian.mjs';
import { ROOT } from './paths.mjs';
import { findProgram } from './programs.mjs';
import { run } from './run.mjs';
import { Problem, say } from './say.mjs';

/** BullMQ's scripts use commands of 6.2. */
const OLDEST_MAJOR = 6.2;
/** The same as in redis-in-docker.sh. */
const DOCKER_IMAGE = 'redis:7.2-alpine';
const DOCKER_TIMEOUT_MS = 10_000;

/**
 * Finds, or installs, the program that private Redis servers are started with. `REDIS_URL` wins where a
 * command can work on a server that already runs.
 * @returns {Promise<{ url: string } | { command: string }>}
 */
export async function findRedis({ acceptUrl = true } = {}) {
  const url = process.env['REDIS_URL'];
  if (acceptUrl && url !== undefined && url !== '') return { url };
  const command = (await onPath()) ?? (await inDocker()) ?? (await fromDebian()) ?? (await fromHomebrew());
  if (command !== undefined) return { command };
  throw new Problem(
    'no Redis was found. Set REDIS_URL to a server of yours, or install redis-server (or valkey-server) ' +
      `${OLDEST_MAJOR} or newer so that it is on the PATH, or start a Docker engine; then run the command again.`,
  );
}

async function onPath() {
  for (const name of ['redis-server', 'valkey-server']) {
    const path = findProgram(name);
    if (path === undefined) continue;
    const { output } = await run(path, ['--version'], { output: 'capture' });
    const version = Number.parseFloat(/v=(\d+\.\d+)/.exec(output)?.[1] ?? '0');
    if (version >= OLDEST_MAJOR) return path;
    say(`${path} is older than ${OLDEST_MAJOR}, looking further`);
  }
  return undefined;
}

async function inDocker() {
  const docker = findProgram('docker');
  if (docker === undefined) return undefined;
  const { ok } = await run(docker, ['info'], { output: 'capture', timeoutMs: DOCKER_TIMEOUT_MS });
  if (!ok) return undefined;
  const { ok: present } = await run(docker, ['image', 'inspect', DOCKER_IMAGE], { output: 'capture' });
  if (!present) {
    say(`pulling ${DOCKER_IMAGE} with Docker`);
    const { ok: pulled, output } = await run(docker, ['pull', DOCKER_IMAGE], { output: 'capture' });
    if (!pulled) {
      say(`Docker could not pull ${DOCKER_IMAGE}, looking further (${output.trim().split('\n').at(-1)})`);
      return undefined;
    }
  }
  return join(ROOT, 'scripts', 'bootstrap', 'redis-in-docker.sh');
}

async function fromDebian() {
  if (!canInstallDebianPackages()) return undefined;
  await installDebianPackage('redis-server', 'redis-server');
  return onPath();
}

async function fromHomebrew() {
  const brew = findProgram('brew');
  if (brew === undefined || !process.stdin.isTTY) return undefined;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  // readline takes Ctrl-C for itself.
  prompt.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const answer = await prompt.question(
    'fairlane: no Redis was found. Install it with "brew install redis"? [y/N] ',
  );
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) return undefined;
  // Homebrew starts no service by itself.
  const { ok } = await run(brew, ['install', 'redis']);
  return ok ? onPath() : undefined;
}
