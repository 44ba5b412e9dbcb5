import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { parse } from 'yaml';

const run = promisify(execFile);
/** `node` of the image; in Kubernetes the same. */
const UID = 1_000;

export interface ComposeService {
  command: string[];
  environment?: Record<string, string | number>;
  healthcheck?: { test: string[] };
}

/** The services of a compose file, as its engine reads them. */
export function servicesOf(text: string): Record<string, ComposeService> {
  return (parse(text, { merge: true }) as { services: Record<string, ComposeService> }).services;
}

export interface Surroundings {
  /** Where the image's `/app` is. */
  app: string;
  logs: string;
  /** What stands for the names and ports of the compose network, and for its volumes. */
  moved: (text: string) => string;
}

export interface Running {
  log: () => string;
  /** Waits until the compose file's own check says that it is well. */
  untilHealthy(): Promise<void>;
  /** Exit code after SIGTERM, or after the program's own end. */
  stop(): Promise<number | null>;
  exit: Promise<number | null>;
}

/** Starts a service's command as the image's user, who may write nothing there, with the environment of the file. */
export function startAs(name: string, service: ComposeService, { app, logs, moved }: Surroundings): Running {
  const logFile = join(logs, `${name}.log`);
  const logFd = openSync(logFile, 'a');
  const [program = '', ...args] = asImageUser(service.command.map(moved));
  const environment = Object.entries(service.environment ?? {});
  const child = spawn(program, args, {
    cwd: app,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      ...Object.fromEntries(environment.map(([variable, value]) => [variable, moved(String(value))])),
    },
    stdio: ['ignore', logFd, logFd],
  });
  closeSync(logFd);
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  return {
    exit,
    log: () => readFileSync(logFile, 'utf8'),
    async untilHealthy() {
      const [, check = '', ...rest] = service.healthcheck?.test ?? [];
      await vi.waitFor(
        async () => {
          if (child.exitCode !== null) throw new Error(readFileSync(logFile, 'utf8'));
          await run(check, rest.map(moved));
        },
        { timeout: 120_000, interval: 200 },
      );
    },
    async stop() {
      child.kill('SIGTERM');
      return exit;
    },
  };
}

function asImageUser(command: string[]): string[] {
  if (process.getuid?.() !== 0) return command;
  return ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', ...command];
}
