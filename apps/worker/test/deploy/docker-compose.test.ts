import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv as parseEnvFile } from 'node:util';
import { catalogue } from '@fairlane/jobs/contracts';
import { bearerToken, createTokenVerifier, createUserVerifier, parseEnv, variables } from '@fairlane/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { queueSlots } from '../../src/queue-slots.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Service {
  image: string;
  command: string[];
  entrypoint?: string[];
  environment?: Record<string, string | number>;
  depends_on: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  ports?: string[];
  volumes: string[];
  restart: string;
  stop_grace_period?: string;
}
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const service = (name: string): Service => {
  const found = compose.services[name];
  if (!found) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
};
const apps = ['api', 'worker', 'board'];

// No engine is needed: these are the mistakes that an engine would show only when everything is up.
describe('docker-compose.yml', () => {
  test('holds Redis, Postgres, the three apps and what watches them, each checked and restarted', () => {
    const restarted = ['redis', 'postgres', ...apps, 'prometheus', 'grafana'];
    expect(Object.keys(compose.services).toSorted()).toEqual(
      ['credentials', 'migrate', ...restarted].toSorted(),
    );
    for (const name of restarted) {
      expect([name, service(name).restart, service(name).healthcheck?.test.length]).toEqual([
        name,
        'unless-stopped',
        expect.any(Number),
      ]);
    }
  });

  test('waits only for services and mounts only volumes that exist', () => {
    for (const { depends_on: needs, volumes } of Object.values(compose.services)) {
      for (const [needed, { condition }] of Object.entries(needs)) {
        const checked = service(needed).healthcheck !== undefined;
        expect([needed, condition]).toEqual([
          needed,
          checked ? 'service_healthy' : 'service_completed_successfully',
        ]);
      }
      for (const volume of volumes) {
        const [source = ''] = volume.split(':', 1);
        const isFolder = source.startsWith('./');
        const exists = isFolder ? existsSync(join(root, source)) : Object.hasOwn(compose.volumes, source);
        expect([source, exists]).toEqual([source, true]);
      }
    }
  });

  test('Redis asks for a password, keeps what it has acknowledged and never drops a key', () => {
    const command = service('redis').command.join(' ');
    expect(command).toContain('/credentials/redis.conf');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
  });

  test('keeps effects in Postgres, whose tables are there before an app starts', () => {
    for (const app of apps) {
      expect(service(app).environment).toMatchObject({ FAIRLANE_LEDGER: 'postgres' });
      expect(service(app).depends_on).toMatchObject({
        migrate: { condition: 'service_completed_successfully' },
      });
    }
    const [program = ''] = service('migrate').command.slice(-1);
    const source = program.replace('api/node_modules/@fairlane/', 'packages/').replace('/dist/', '/src/');
    expect(existsSync(join(root, source.replace(/\.js$/, '.ts')))).toBe(true);
  });

  test('asks for health where the app listens, and of what the app answers', () => {
    const ports = { api: 'API_PORT', worker: 'WORKER_HEALTH_PORT', board: 'BOARD_PORT' };
    const paths = { api: 'readyz', worker: 'healthz', board: 'readyz' };
    for (const app of apps as (keyof typeof ports)[]) {
      const { environment = {}, healthcheck } = service(app);
      expect(healthcheck?.test.join(' ')).toContain(
        `'http://127.0.0.1:${environment[ports[app]]}/${paths[app]}'`,
      );
      expect(environment).toMatchObject({ HOST: '0.0.0.0' });
    }
  });

  test('mounts what Prometheus and Grafana are configured to read', () => {
    const mounts = (name: string) => {
      const pairs = service(name).volumes.map((volume) => volume.split(':').slice(0, 2));
      return new Map(pairs.map(([source = '', target = '']) => [target, source]));
    };
    /** The file of the repository that a path in the container is, where it is one. */
    const inRepository = (name: string, path: string) => {
      for (const [target, source] of mounts(name)) {
        if (path.startsWith(`${target}/`)) return join(source, path.slice(target.length));
      }
      return undefined;
    };
    const config = service('prometheus')
      .command.join(' ')
      .match(/--config\.file=(\S+)/)?.[1];
    const { rule_files: rules, scrape_configs: scraped } = parse(
      read(inRepository('prometheus', config ?? '') ?? ''),
    ) as {
      rule_files: string[];
      scrape_configs: {
        authorization?: { credentials_file: string };
        dns_sd_configs: { names: string[]; port: number }[];
      }[];
    };
    for (const rule of rules) expect(existsSync(join(root, 'deploy/prometheus', rule))).toBe(true);
    const tokenFiles = scraped.flatMap(({ authorization }) => authorization?.credentials_file ?? []);
    expect(tokenFiles).toEqual(['/monitoring/metrics-token']);
    expect(mounts('prometheus').get('/monitoring')).toBe('monitoring');
    for (const { dns_sd_configs: found } of scraped) {
      for (const { names, port } of found) {
        expect(names.map((name) => Object.values(service(name).environment ?? {}).includes(port))).toEqual([
          true,
        ]);
      }
    }
    const provider = parse(read('deploy/grafana/provisioning/dashboards/fairlane.yml')) as {
      providers: { options: { path: string } }[];
    };
    const dashboards = provider.providers.map(({ options }) => mounts('grafana').get(options.path));
    expect(dashboards).toEqual(['./deploy/grafana/dashboards']);
    expect(mounts('grafana').get('/etc/grafana/provisioning')).toBe('./deploy/grafana/provisioning');
    const source = parse(read('deploy/grafana/provisioning/datasources/prometheus.yml')) as {
      datasources: { uid: string; url: string }[];
    };
    const [{ uid, url } = { uid: '', url: '' }] = source.datasources;
    expect(Object.keys(compose.services)).toContain(new URL(url).hostname);
    const asked = read('deploy/grafana/dashboards/fairlane.json').matchAll(/"uid": "([^"]+)"/g);
    expect(new Set([...asked].map(([, name]) => name))).toContain(uid);
  });

  test('is reachable from this machine only', () => {
    const ports = Object.values(compose.services).flatMap((one) => one.ports ?? []);
    expect(ports).toEqual([
      '127.0.0.1:3000:3000',
      '127.0.0.1:3001:3001',
      '127.0.0.1:9090:9090',
      '127.0.0.1:3003:3000',
    ]);
  });

  test('gives a worker more time to stop than it may take', () => {
    const { environment, stop_grace_period: stop = '' } = service('worker');
    const closingMs = Number(
      /CLOSING_MS = ([\d_]+)/.exec(read('apps/worker/src/run-worker.ts'))?.[1]?.replaceAll('_', ''),
    );
    const takesMs = Number(environment?.['WORKER_GRACE_MS']) + closingMs;
    expect(Number(stop.replace('s', '')) * 1000).toBeGreaterThan(takesMs);
  });

  test('runs programs that the image holds', () => {
    for (const app of apps) {
      expect(service(app).command.at(-1)).toBe(`${app}/dist/main.js`);
      expect(existsSync(join(root, `apps/${app}/src/main.ts`))).toBe(true);
    }
    expect(read('Dockerfile')).toContain(`COPY deploy/${service('credentials').entrypoint?.at(-1)} /app/`);
  });

  test('the image is built with the tools of the repository, and runs as somebody who may write nothing', () => {
    const { packageManager } = JSON.parse(read('package.json')) as { packageManager: string };
    const { catalog } = parse(read('pnpm-workspace.yaml')) as { catalog: Record<string, string> };
    const dockerfile = read('Dockerfile');
    expect(dockerfile).toContain(
      `install --global --no-audit --no-fund ${packageManager.split('+', 1)[0]} turbo@${catalog['turbo']}\n`,
    );
    const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
    expect(last).toMatch(/^USER node$/m);
    expect(last).not.toMatch(/^(RUN|COPY) .*chown/m);
    for (const name of [...apps, 'migrate', 'credentials']) {
      expect(service(name)).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });
});

describe('credentials of a trial', () => {
  const dir = mkdtempSync(join(tmpdir(), 'fairlane-credentials-'));
  const script = join(root, 'deploy/trial-credentials.mjs');
  const run = (command: string) =>
    execFileSync(process.execPath, [script, command], {
      encoding: 'utf8',
      env: { CREDENTIALS_DIR: dir, BOARD_CREDENTIALS_DIR: dir, MONITORING_DIR: dir, SECRETS_DIR: dir },
    });
  beforeAll(() => {
    run('create');
  });
  afterAll(() => rmSync(dir, { recursive: true }));
  const file = (name: string) => readFileSync(join(dir, name), 'utf8');

  test('are all that the apps need besides what the file sets, and the apps accept them', () => {
    const made = parseEnvFile(file('apps.env'));
    const {
      REDIS_URL,
      DATABASE_URL,
      FAIRLANE_LEDGER,
      FAIRLANE_BLOB_STORE,
      HOST,
      FAIRLANE_TOKENS,
      BOARD_USERS,
      API_PORT,
      BOARD_PORT,
      WORKER_HEALTH_PORT,
    } = variables;
    const { WORKER_GRACE_MS, OUTREACH_GATEWAY_URL, FAIRLANE_API_URL } = variables;
    const stores = { REDIS_URL, DATABASE_URL, FAIRLANE_LEDGER };
    const shapes = {
      api: { ...stores, FAIRLANE_BLOB_STORE, HOST, FAIRLANE_TOKENS, API_PORT },
      worker: {
        ...stores,
        FAIRLANE_BLOB_STORE,
        HOST,
        WORKER_HEALTH_PORT,
        WORKER_GRACE_MS,
        WORKER_QUEUES: queueSlots(catalogue),
      },
      board: { ...stores, HOST, BOARD_USERS, BOARD_PORT, FAIRLANE_API_URL },
    };
    for (const [app, shape] of Object.entries(shapes)) {
      const set = Object.entries(service(app).environment ?? {}).map(([name, value]) => [
        name,
        String(value),
      ]);
      const unknown = set.filter(([name = '']) => !(name in shape) && name !== 'OUTREACH_GATEWAY_URL');
      expect(unknown).toEqual([]);
      expect(() => parseEnv(shape, { ...made, ...(Object.fromEntries(set) as object) })).not.toThrow();
    }
    const gateway = String(service('worker').environment?.['OUTREACH_GATEWAY_URL']);
    const fallback = /:-(.*)\}$/.exec(gateway)?.[1];
    expect(() => parseEnv({ OUTREACH_GATEWAY_URL }, { OUTREACH_GATEWAY_URL: fallback })).not.toThrow();
  });

  test('open what they name', async () => {
    const made = parseEnvFile(file('apps.env'));
    const { FAIRLANE_TOKENS, BOARD_USERS } = parseEnv(
      { FAIRLANE_TOKENS: variables.FAIRLANE_TOKENS, BOARD_USERS: variables.BOARD_USERS },
      made,
    );
    const secrets = JSON.parse(run('show')) as {
      tokens: Record<string, string>;
      boardUsers: Record<string, string>;
      grafana: { password: string };
    };
    const verifyToken = createTokenVerifier(FAIRLANE_TOKENS);
    for (const [role, token] of Object.entries(secrets.tokens)) {
      expect(verifyToken(bearerToken(`Bearer ${token}`) ?? '')).toMatchObject({ role });
    }
    const verifyUser = createUserVerifier(BOARD_USERS);
    for (const [role, password] of Object.entries(secrets.boardUsers)) {
      expect(await verifyUser(role, password)).toEqual({ user: role, role });
    }
    expect(verifyToken(file('metrics-token'))).toMatchObject({ role: 'viewer' });
    expect(file('grafana-password')).toBe(secrets.grafana.password);
    expect(file('redis.conf')).toBe(`requirepass ${new URL(made['REDIS_URL'] ?? '').password}\n`);
    expect(file('postgres-password')).toBe(new URL(made['DATABASE_URL'] ?? '').password);
  });

  test('the board alone has tokens for the API, one of each role of its users', () => {
    const { BOARD_API_TOKENS: given, FAIRLANE_TOKENS } = parseEnv(
      { BOARD_API_TOKENS: variables.BOARD_API_TOKENS, FAIRLANE_TOKENS: variables.FAIRLANE_TOKENS },
      parseEnvFile(file('apps.env') + file('board.env')),
    );
    const verifyToken = createTokenVerifier(FAIRLANE_TOKENS);
    for (const role of ['viewer', 'operator'] as const) {
      expect(verifyToken(given?.[role] ?? '')).toMatchObject({ role, id: `board-${role}` });
    }
    const readers = Object.entries(compose.services).filter(([, { command }]) =>
      command?.includes('--env-file=/board-credentials/board.env'),
    );
    expect(readers.map(([name]) => name)).toEqual(['board']);
    const holders = Object.entries(compose.services).filter(([, { volumes }]) =>
      volumes?.some((volume) => volume.startsWith('board-credentials:')),
    );
    expect(holders.map(([name]) => name)).toEqual(['credentials', 'board']);
    expect(service('board').environment?.['FAIRLANE_API_URL']).toBe(
      `http://api:${service('api').environment?.['API_PORT']}`,
    );
  });

  test('are made once, and the secrets in clear are for their owner only', () => {
    const before = file('apps.env');
    run('create');
    expect(file('apps.env')).toBe(before);
    expect(statSync(join(dir, 'secrets.json')).mode & 0o777).toBe(0o400);
    expect(before).not.toContain(
      (JSON.parse(run('show')) as { tokens: { operator: string } }).tokens.operator,
    );
  });
});
