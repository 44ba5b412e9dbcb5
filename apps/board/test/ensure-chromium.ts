import { execFile } from 'node:child_process';
import { access, constants, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** No sandbox, since tests may run as root; nothing asks the network. */
export const chromiumFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The path of a Chromium, installed where that asks nothing: as root on Debian. Elsewhere undefined after
 * one line that says so; with `CI=true` that is an error, since a check that could not run has not passed.
 */
export async function ensureChromium(): Promise<string | undefined> {
  const reason = (await findChromium()) ?? (await installChromium());
  if (reason.startsWith('/')) return reason;
  if (process.env['CI'] === 'true') throw new Error(`browser tests cannot run: ${reason}`);
  process.stderr.write(`browser tests are skipped: ${reason}\n`);
  return undefined;
}

async function findChromium(): Promise<string | undefined> {
  for (const path of candidates) {
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // The next one.
    }
  }
  return undefined;
}

/** A path, or why there is none. */
async function installChromium(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  if (process.getuid?.() !== 0 || !/^ID(_LIKE)?=.*debian/m.test(release)) {
    return `no chromium among ${candidates.join(', ')}; install one`;
  }
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 300_000 };
  try {
    await run('apt-get', ['update', '-qq'], options);
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], options);
  } catch (error) {
    return `apt-get could not install chromium (${String(error).split('\n', 1)[0]})`;
  }
  return (await findChromium()) ?? 'apt-get installed no chromium';
}
