import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { filesBelow, fingerprint, readStamp, workspaces, writeStamp } from './fingerprint.mjs';
import { pnpmEnv } from './install.mjs';
import { LOG_DIR, ROOT, STATE_DIR } from './paths.mjs';
import { ensurePnpm } from './pnpm.mjs';
import { run } from './run.mjs';
import { Problem, say } from './say.mjs';

const DONE = join(STATE_DIR, 'built');

/** `dist` of every package and app from the sources as they are now. */
export async function ensureBuilt() {
  const wanted = fingerprint(ROOT, sources());
  if (readStamp(DONE) === wanted && outputs().every((file) => existsSync(file))) return;

  say('building');
  const logFile = join(LOG_DIR, 'build.log');
  const bin = await ensurePnpm();
  const { ok, output } = await run(
    process.execPath,
    [join(ROOT, 'node_modules', 'turbo', 'bin', 'turbo'), 'run', 'build', '--output-logs=errors-only'],
    {
      output: 'capture',
      logFile,
      env: { ...pnpmEnv(bin), TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
    },
  );
  if (!ok) throw new Problem(`the build failed\n${output.trim()}`);
  const missing = outputs().filter((file) => !existsSync(file));
  if (missing.length > 0) throw new Problem(`the build left out ${missing.join(', ')}, see ${logFile}`);
  writeStamp(DONE, wanted);
}

function sources() {
  const files = ['package.json', 'pnpm-lock.yaml', 'tsconfig.base.json', 'turbo.json'].map((name) =>
    join(ROOT, name),
  );
  for (const folder of workspaces(ROOT)) {
    files.push(...['package.json', 'tsconfig.json', 'vite.config.ts'].map((name) => join(folder, name)));
    files.push(...filesBelow(join(folder, 'src'), (name) => !/\.test(-d)?\.ts$/.test(name)));
  }
  return files.filter((file) => existsSync(file));
}

/** What is started or imported: enough to notice that a `dist` was deleted. */
function outputs() {
  return workspaces(ROOT).flatMap((folder) => {
    /** @type {{ exports?: Record<string, { default?: string }> }} */
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const exported = Object.values(manifest.exports ?? {}).flatMap((target) => target.default ?? []);
    const entry = existsSync(join(folder, 'src', 'main.ts')) ? ['dist/main.js'] : [];
    return [...exported, ...entry].map((file) => join(folder, file));
  });
}
