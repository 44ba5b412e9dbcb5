import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useRedis } from '../../packages/testkit/src/vitest/use-redis.js';
import { ROOT } from '../bootstrap/paths.mjs';
import { pack, PUBLISHED } from './packed.mjs';
import { makeScratchApp } from './scratch-app.mjs';

const execute = promisify(execFile);
const redis = useRedis();
const root = mkdtempSync(join(realpathSync(tmpdir()), 'fairlane-scratch-'));
const tarballs: Partial<Record<string, string>> = {};

beforeAll(async () => {
  for (const folder of ['tarballs', ...PUBLISHED]) mkdirSync(join(root, folder));
  for (const name of PUBLISHED) {
    tarballs[name] = await pack(name, join(root, 'tarballs'));
    await makeScratchApp(name, tarballs[name], app(name));
  }
}, 120_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

function app(name: string): string {
  return join(root, name);
}

async function run(name: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, REDIS_URL: redis.url };
  const { stdout } = await execute(process.execPath, args, { cwd: app(name), env, timeout: 60_000 });
  return stdout;
}

/** What the scratch application prints, once it has loaded the package from where npm put it. */
async function report(name: string): Promise<Record<string, unknown>> {
  const { loadedFrom, ...rest } = JSON.parse(await run(name, 'app.mjs')) as Record<string, unknown>;
  const installed = join(app(name), 'node_modules', '@fairlane', name);
  expect(realpathSync(installed)).toBe(installed);
  expect(loadedFrom).toBe(pathToFileURL(join(installed, 'dist', 'index.js')).href);
  return rest;
}

describe('a BullMQ application outside of the repository with the packed lanes', () => {
  it('R3 R6 serves a small account beside a large one and holds a limited one until its limit goes', async () => {
    const { atLimit, completed } = await report('lanes');
    const { served, held, reason } = atLimit as { served: string[]; held: number; reason: string };
    const upToLastOfSmall = served.slice(0, served.lastIndexOf('small') + 1);
    expect(upToLastOfSmall.filter((account) => account === 'small')).toHaveLength(6);
    expect(upToLastOfSmall.filter((account) => account === 'large').length).toBeLessThanOrEqual(8);
    expect(served.filter((account) => account === 'limited')).toHaveLength(5);
    expect({ held, reason, completed }).toEqual({ held: 3, reason: 'rate_limit', completed: 74 });
  });

  it('loads it from CommonJS too', async () => {
    const code = `process.stdout.write(typeof require('@fairlane/lanes').createLaneBackend())`;
    expect(await run('lanes', '--input-type=commonjs', '-e', code)).toBe('function');
  });
});

describe('a module outside of the repository with the packed sdk', () => {
  it('defines a job, and runs it in memory through an outage and a crash', async () => {
    expect(await report('sdk')).toEqual({
      state: 'completed',
      result: { invoice: '7', pages: 3 },
      performed: 2,
      outcomes: ['retry', 'crashed', 'completed'],
    });
  });
});

describe.each(PUBLISHED)('the packed %s', (name) => {
  const tool = (path: string, ...args: string[]) => run(name, join(ROOT, 'node_modules', path), ...args);

  it('has types that compile, declarations of libraries checked too', async () => {
    await tool('typescript/bin/tsc', '-p', '.');
  });

  it('is what publint and attw want of an ESM package', async () => {
    await tool('publint/src/cli.js', tarballs[name]!, '--strict');
    await tool('@arethetypeswrong/cli/dist/index.js', tarballs[name]!, '--profile', 'esm-only');
  });

  it('has a licence, and a readme whose links lead out of no tarball', () => {
    const installed = join(app(name), 'node_modules', '@fairlane', name);
    expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(
      readFileSync(join(ROOT, 'LICENSE'), 'utf8'),
    );
    expect(readFileSync(join(installed, 'README.md'), 'utf8')).not.toMatch(/\]\(\.\.\//);
  });
});
