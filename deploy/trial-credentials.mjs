// Credentials of a trial with docker compose: `create` makes them once, `show` prints them.
// Node built-ins only, since it runs before anything else.
import { createHash, randomBytes, scryptSync } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const publicDir = process.env.CREDENTIALS_DIR ?? '/credentials';
const boardDir = process.env.BOARD_CREDENTIALS_DIR ?? '/board-credentials';
const monitoringDir = process.env.MONITORING_DIR ?? '/monitoring';
const secretDir = process.env.SECRETS_DIR ?? '/secrets';
const secretsFile = join(secretDir, 'secrets.json');

const secret = () => randomBytes(32).toString('base64url');

/** The form of BOARD_USERS: scrypt$N$r$p$salt$hash. */
function hashPassword(password) {
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, { N: 16_384, r: 8, p: 1 });
  return `scrypt$16384$8$1$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/** The form of FAIRLANE_TOKENS. */
function hashToken(token) {
  return createHash('sha256').update(token).digest('hex');
}

function create() {
  const tokens = Object.fromEntries(
    ['producer', 'viewer', 'limits', 'operator'].map((role) => [role, secret()]),
  );
  const boardUsers = Object.fromEntries(['viewer', 'operator'].map((role) => [role, secret()]));
  const boardTokens = Object.fromEntries(['viewer', 'operator'].map((role) => [role, secret()]));
  const grafana = { user: 'admin', password: secret() };
  const redisPassword = secret();
  const postgresPassword = secret();
  // An id is told as who did something: "limits paused this account" would read as if a limit had.
  const tokenRecords = [
    ...Object.entries(tokens).map(([role, token]) => {
      return { id: `api-${role}`, role, tokenHash: hashToken(token) };
    }),
    ...Object.entries(boardTokens).map(([role, token]) => {
      return { id: `board-${role}`, role, tokenHash: hashToken(token) };
    }),
  ];
  const userRecords = Object.entries(boardUsers).map(([role, password]) => {
    return { user: role, role, passwordHash: hashPassword(password) };
  });
  const env = {
    REDIS_URL: `redis://:${redisPassword}@redis:6379`,
    DATABASE_URL: `postgres://fairlane:${postgresPassword}@postgres:5432/fairlane`,
    FAIRLANE_TOKENS: JSON.stringify(tokenRecords),
    BOARD_USERS: JSON.stringify(userRecords),
  };
  // Readable by the users that the servers' images run as; only they and the apps mount the volume.
  write(publicDir, 'redis.conf', `requirepass ${redisPassword}\n`, 0o444);
  write(publicDir, 'postgres-password', postgresPassword, 0o444);
  write(publicDir, 'apps.env', linesOf(env), 0o444);
  // In clear, for the board alone: it asks the API in the role of whoever is signed in.
  write(boardDir, 'board.env', linesOf({ BOARD_API_TOKENS: JSON.stringify(boardTokens) }), 0o444);
  // Readable by the users that Prometheus and Grafana run as; no app mounts that volume.
  write(monitoringDir, 'metrics-token', tokens.viewer, 0o444);
  write(monitoringDir, 'grafana-password', grafana.password, 0o444);
  // Last: its presence says that all of them are there.
  write(
    secretDir,
    'secrets.json',
    `${JSON.stringify({ tokens, boardUsers, grafana }, undefined, 2)}\n`,
    0o400,
  );
}

function linesOf(env) {
  return Object.entries(env)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('');
}

function write(dir, name, content, mode) {
  const file = join(dir, name);
  // A run that was cut short may have left a file that cannot be written over.
  if (existsSync(file)) chmodSync(file, 0o600);
  writeFileSync(file, content, { mode });
  chmodSync(file, mode);
}

const [command] = process.argv.slice(2);
if (command === 'create') {
  if (!existsSync(secretsFile)) create();
  process.stdout.write('credentials are in place; see them with: docker compose run --rm credentials show\n');
} else if (command === 'show') {
  process.stdout.write(readFileSync(secretsFile, 'utf8'));
} else {
  process.stderr.write('usage: node trial-credentials.mjs create|show\n');
  process.exit(2);
}
