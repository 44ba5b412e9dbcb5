import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { uninterruptible } from './interruption.mjs';
import { LOG_DIR } from './paths.mjs';
import { findProgram } from './programs.mjs';
import { run } from './run.mjs';
import { Problem, say } from './say.mjs';

const POLICY = '/usr/sbin/policy-rc.d';
const OUR_POLICY = '#!/bin/sh\n# Written while Fairlane installs a package, removed right after.\nexit 101\n';

/** Whether `apt-get install` works without asking anyone. */
export function canInstallDebianPackages() {
  if (process.getuid?.() !== 0 || findProgram('apt-get') === undefined) return false;
  try {
    return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

/**
 * Installs a package without starting the service that it may bring.
 * @param {string} name
 * @param {string} [service]
 */
export async function installDebianPackage(name, service) {
  say(
    `installing the distribution's package ${name} with apt-get${service === undefined ? '' : '; no system service will be left running'}`,
  );
  const before = service === undefined ? new Set() : daemons(service);
  const install = ['install', '-q', '-y', '--no-install-recommends', name];
  await apt(['update', '-q']);
  await apt([...install, '--download-only']);
  // Cut short here, dpkg would leave a package half configured; it takes a few seconds only.
  await uninterruptible(async () => {
    await withoutServiceStarts(() => apt(install));
    if (service !== undefined) await leaveNoService(service, before);
  });
}

/** @param {readonly string[]} args */
async function apt(args) {
  const logFile = join(LOG_DIR, `apt-${args[0]}.log`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  // apt-get refuses to work after a dpkg that was killed.
  await run('dpkg', ['--configure', '-a'], { output: 'capture', env });
  const options = ['-o', 'DPkg::Lock::Timeout=60', '-o', 'Acquire::Retries=2'];
  const { ok, output } = await run('apt-get', [...options, ...args], { output: 'capture', logFile, env });
  if (!ok) {
    const tail = output.trim().split('\n').slice(-4).join('\n');
    throw new Problem(`apt-get ${args[0]} failed (all of it: ${logFile})\n${tail}`);
  }
}

/**
 * policy-rc.d is how Debian lets an administrator forbid maintainer scripts to start services.
 * @param {() => Promise<void>} step
 */
async function withoutServiceStarts(step) {
  // An administrator's own policy is left alone.
  if (existsSync(POLICY) && readFileSync(POLICY, 'utf8') !== OUR_POLICY) return step();
  writeFileSync(POLICY, OUR_POLICY, { mode: 0o755 });
  try {
    await step();
  } finally {
    rmSync(POLICY, { force: true });
  }
}

/**
 * @param {string} service
 * @param {Set<unknown>} before
 */
async function leaveNoService(service, before) {
  // Not now, and not at the next boot either: nobody asked for a service.
  if (existsSync('/run/systemd/system')) {
    await run('systemctl', ['disable', '--now', service], { output: 'capture' });
  } else {
    await run('update-rc.d', [service, 'disable'], { output: 'capture' });
  }
  const started = () => [...daemons(service)].filter((pid) => !before.has(pid));
  if (started().length > 0) await run('service', [service, 'stop'], { output: 'capture' });
  if (started().length > 0) {
    throw new Problem(
      `the package ${service} started a system service; stop it with "service ${service} stop"`,
    );
  }
}

/**
 * Processes of that name whose parent is init, the mark of a system service.
 * @param {string} name
 */
function daemons(name) {
  const found = readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return status.startsWith(`Name:\t${name}\n`) && /^PPid:\t1$/m.test(status);
    } catch {
      return false;
    }
  });
  return new Set(found);
}
