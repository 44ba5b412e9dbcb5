import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, startPostgres } from '@fairlane/testkit';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { servicesOf, startAs } from './image/compose-service.js';
import { runDockerfile } from './image/run-dockerfile.js';
import { openOutside } from '../support/outside.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const services = servicesOf(readFileSync(join(root, 'docker-compose.yml'), 'utf8'));
const service = (name: string) => {
  const found = services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
};

// Others must be able to reach what the image's user reads.
const folder = mkdtempSync(join(tmpdir(), 'fairlane-image-'));
chmodSync(folder, 0o755);
// Tens of thousands of small files.
afterAll(() => rmSync(folder, { recursive: true, force: true }), 10 * 60_000);

/** The repository as a build is sent it. */
async function copyContext(): Promise<string> {
  const context = join(folder, 'context');
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  for (const file of stdout.split('\0')) {
    if (file !== '' && !file.startsWith('docs/')) cpSync(join(root, file), join(context, file));
  }
  return context;
}

/** A folder in the place of a volume. */
function volume(name: string): string {
  const path = join(folder, 'volumes', name);
  mkdirSync(path, { recursive: true });
  if (process.getuid?.() === 0) chownSync(path, 1_000, 1_000);
  return path;
}

/** The volumes with the credentials that the first start makes. */
async function makeCredentials(app: string) {
  const dirs = {
    credentials: volume('credentials'),
    boardCredentials: volume('board-credentials'),
    blobs: volume('blobs'),
    secrets: volume('secrets'),
  };
  await run(process.execPath, [join(app, 'trial-credentials.mjs'), 'create'], {
    env: {
      CREDENTIALS_DIR: dirs.credentials,
      BOARD_CREDENTIALS_DIR: dirs.boardCredentials,
      MONITORING_DIR: volume('monitoring'),
      SECRETS_DIR: dirs.secrets,
    },
  });
  const secrets = JSON.parse(readFileSync(join(dirs.secrets, 'secrets.json'), 'utf8')) as {
    tokens: { producer: string; operator: string };
    boardUsers: { operator: string };
  };
  return { ...dirs, ...secrets };
}

/** Redis by the command of the compose file, on a port of its own. */
async function startRedis(credentials: string): Promise<number> {
  const port = await freePort();
  const [program = '', config = '', ...rest] = service('redis').command;
  const moved = [
    config.replace('/credentials', credentials),
    ...rest,
    '--port',
    String(port),
    '--dir',
    folder,
  ];
  const child = spawn(program, moved, { stdio: 'ignore' });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const [, check = ''] = service('redis').healthcheck?.test ?? [];
  const command = check.replaceAll('$$', '$').replaceAll('/credentials', credentials);
  await vi.waitFor(() => run('sh', ['-c', command.replace('redis-cli', `redis-cli -p ${port}`)]), {
    timeout: 30_000,
    interval: 100,
  });
  return port;
}

test(
  'the image is built as the Dockerfile says, and its apps run as compose starts them, as a user who may write nothing',
  { timeout: 30 * 60_000 },
  async () => {
    const image = await runDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'), {
      context: await copyContext(),
      folder: join(folder, 'stages'),
      // Users and folders of the image itself.
      skip: (line) => line.startsWith('USER ') || line.startsWith('RUN install -d -o node'),
    });
    const app = join(image, 'app');
    const made = await makeCredentials(app);
    const redisPort = await startRedis(made.credentials);
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const outside = await openOutside();
    onTestFinished(() => outside[Symbol.asyncDispose]());
    outside.answer(200);

    const appsEnv = join(made.credentials, 'apps.env');
    const env = readFileSync(appsEnv, 'utf8')
      .replace('@redis:6379', `@127.0.0.1:${redisPort}`)
      .replace(/^DATABASE_URL=.*$/m, `DATABASE_URL='${postgres.url}'`);
    rmSync(appsEnv);
    writeFileSync(appsEnv, env, { mode: 0o444 });
    const ports = { 3000: await freePort(), 3001: await freePort(), 3002: await freePort() };
    const moved = (text: string) =>
      text
        .replace(/^\$\{OUTREACH_GATEWAY_URL.*\}$/, outside.url)
        .replace('http://api:', 'http://127.0.0.1:')
        .replaceAll(/\b(3000|3001|3002)\b/g, (port) => String(ports[Number(port) as keyof typeof ports]))
        .replace('/credentials/', `${made.credentials}/`)
        .replace('/board-credentials/', `${made.boardCredentials}/`)
        .replace('file:/blobs', `file:${made.blobs}`);
    const surroundings = { app, logs: folder, moved };

    const migrate = startAs('migrate', service('migrate'), surroundings);
    expect([await migrate.exit, migrate.log()]).toEqual([0, expect.stringContaining('migrated: ')]);
    const running = ['api', 'worker', 'board'].map((name) => startAs(name, service(name), surroundings));
    for (const one of running) onTestFinished(() => void one.stop());
    for (const one of running) await one.untilHealthy();

    const api = `http://127.0.0.1:${ports[3000]}`;
    const lead = {
      accountId: 'acme',
      leadId: 'lead-1',
      step: 1,
      campaignRev: 1,
      channel: 'email',
      to: 'someone',
    };
    const accepted = await fetch(`${api}/v1/jobs/outreach.send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.tokens.producer}`, 'content-type': 'application/json' },
      // Above what stays in Redis, so the shared volume is used too.
      body: JSON.stringify({ ...lead, body: 'x'.repeat(90_000) }),
    });
    expect(accepted.status).toBe(202);
    const { id } = (await accepted.json()) as { id: string };
    const view = async () => {
      const answer = await fetch(`${api}/v1/jobs/${id}`, {
        headers: { authorization: `Bearer ${made.tokens.operator}` },
      });
      return answer.json();
    };
    await expect
      .poll(view, { timeout: 30_000 })
      .toMatchObject({ state: 'completed', effects: [{ name: 'send', state: 'done' }] });

    const logIn = await fetch(`http://127.0.0.1:${ports[3001]}/login`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ user: 'operator', password: made.boardUsers.operator }),
    });
    expect(logIn.status).toBe(303);

    const codes = await Promise.all(running.map((one) => one.stop()));
    expect(codes).toEqual([0, 0, 0]);
    const { stdout: written } = await run('find', [app, '-uid', '1000']);
    expect(written).toBe('');
  },
);
