import { createServer } from 'node:net';

/** What of the documented environment reaches the apps; addresses and credentials are set by the command. */
const PASSED_ON = [
  'FAIRLANE_BLOB_STORE',
  'WORKER_QUEUES',
  'WORKER_LEASE_MS',
  'WORKER_GRACE_MS',
  'INCIDENT_WEBHOOK_URL',
  'SUMMARY_BASE_URL',
  'SUMMARY_API_KEY',
  'SUMMARY_MODEL',
  'WEBHOOK_ALLOW_PRIVATE',
  'LOG_LEVEL',
];
/** What single jobs call. */
const JOB_URL = /^JOB_[A-Z0-9_]+_URL$/;

export function appEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const isPassedOn = PASSED_ON.includes(name) || JOB_URL.test(name);
      return !isPassedOn || value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** The port that `variable` names, or its default; throws when somebody listens on it. */
export async function fixedPort(
  variable: string,
  defaultPort: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const text = env[variable] || String(defaultPort);
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`${variable} must be a port from 1 to 65535, got "${text}"`);
  }
  if (await isFree(port)) return port;
  throw new Error(
    `port ${port} is in use. Stop what listens on it, set ${variable} to another port, or use "npm start -- --ephemeral".`,
  );
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
