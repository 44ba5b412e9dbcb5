import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SUPPORTED_BULLMQ } from '../../packages/lanes/src/scripts/bull-scripts.js';
import { useRedis } from '../../packages/testkit/src/vitest/use-redis.js';
import { ROOT } from '../bootstrap/paths.mjs';
import { codeBlocks, page } from '../docs/pages.mjs';
import { pack, PUBLISHED } from './packed.mjs';
import { makeScratchApp } from './scratch-app.mjs';

const execute = promisify(execFile);
const redis = useRedis();
const root = mkdtempSync(join(realpathSync(tmpdir()), 'fairlane-scratch-'));
const tarballs: Partial<Record<string, string>> = {};
/** What the compiler says. */
const compiled: Partial<Record<string, string>> = {};
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

beforeAll(async () => {
  for (const folder of ['tarballs', ...PUBLISHED]) mkdirSync(join(root, folder));
  for (const name of PUBLISHED) {
    tarballs[name] = await pack(name, join(root, 'tarballs'));
    await makeScratchApp(name, tarballs[name], app(name));
    for (const [path, completed] of Object.entries(PAGES[name]!)) {
      writeFileSync(join(app(name), `${moduleOf(path)}.ts`), program(path, completed));
    }
    compiled[name] = await run(name, TSC, '-p', '.').catch(
      (error: Error & { stdout?: string }) => error.stdout ?? error.message,
    );
  }
}, 240_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

function app(name: string): string {
  return join(root, name);
}

async function run(name: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, REDIS_URL: redis.url, PREFIX: redis.prefix };
  const { stdout } = await execute(process.execPath, args, { cwd: app(name), env, timeout: 60_000 });
  return stdout;
}

/** Pages whose TypeScript is a program from top to bottom, and how many jobs it completes before its last block. */
const PAGES: Record<string, Record<string, number>> = {
  lanes: {
    'packages/lanes/README.md': 0,
    'docs/moving-from-bullmq.md': 2,
    'docs/moving-from-bullmq-pro.md': 1,
  },
  sdk: { 'packages/sdk/README.md': 0, 'README.md': 0 },
};
/** What a page takes for granted. */
const GIVEN: Record<string, string> = {
  'README.md':
    'declare const printer: { print(what: unknown, how: { idempotencyKey: string; signal: AbortSignal }): Promise<{ count: number }> };',
};
const moduleOf = (path: string) => path.replaceAll(/\W/g, '-');

function program(path: string, completed: number): string {
  const blocks = codeBlocks(page(path), 'ts');
  const wait = `while ((await queue.getCompletedCount()) < ${completed}) await new Promise((then) => setTimeout(then, 20));`;
  return [GIVEN[path], ...blocks.slice(0, -1), completed > 0 ? wait : '', blocks.at(-1), 'process.exit(0);']
    .join('\n')
    .replace('port: 6379', `port: Number(new URL(process.env['REDIS_URL']!).port)`)
    .replace("prefix = '{app}'", `prefix = process.env['PREFIX']!`)
    .replace("'https://mail.example.com/messages'", `process.env['REMOTE']!`);
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

it('the packed lanes asks for the versions of BullMQ that it starts on', () => {
  const manifest = join(app('lanes'), 'node_modules/@fairlane/lanes/package.json');
  const { peerDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    peerDependencies: { bullmq: string };
  };
  const [, from = '', below = ''] = /^>=(\S+) <(\S+)$/.exec(peerDependencies.bullmq) ?? [];
  expect([from, below].map((version) => SUPPORTED_BULLMQ.test(version))).toEqual([true, false]);
});

describe.each(PUBLISHED)('the packed %s', (name) => {
  const tool = (path: string, ...args: string[]) => run(name, join(ROOT, 'node_modules', path), ...args);

  it('has types that compile with the code of its pages, declarations of libraries checked too', () => {
    expect(compiled[name]).toBe('');
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

const runPage = (path: string) => run('lanes', join('out', `${moduleOf(path)}.js`));

describe('the code of the page about', () => {
  it('lanes adds a job, sets limits and pauses an account', async () => {
    await runPage('packages/lanes/README.md');
    const account = JSON.stringify(await redis.client.hgetall(`${redis.prefix}::a:acme`));
    expect(account).toContain('support@example.com');
  });

  it('moving from BullMQ takes a live queue over, heeds a 429 and hands the queue back', async () => {
    const statuses: number[] = [];
    const remote = createServer((_request, response) => {
      statuses.push(statuses.length === 0 ? 429 : 200);
      response.writeHead(statuses.at(-1)!, { 'retry-after': '1' }).end();
    });
    await new Promise<void>((resolve) => {
      remote.listen(0, '127.0.0.1', resolve);
    });
    const { port } = remote.address() as AddressInfo;
    process.env['REMOTE'] = `http://127.0.0.1:${port}`;
    await runPage('docs/moving-from-bullmq.md');
    await new Promise((resolve) => {
      remote.close(resolve);
      remote.closeAllConnections();
    });
    expect(statuses).toEqual([429, 200, 200]);
    expect(await redis.client.keys(`${redis.prefix}::q:*`)).toEqual([]);
    expect(await redis.client.zcard(`${redis.prefix}:outreach:completed`)).toBe(2);
  });

  it('moving from BullMQ Pro says why a paused account waits', async () => {
    const printed = await runPage('docs/moving-from-bullmq-pro.md');
    expect(printed.split('\n').slice(0, -1)).toEqual(['sending to a@example.com', 'paused', '1', '0 1']);
  });
});
