import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { CampaignOptions } from './campaign-accounts.js';
import type { AccountPatchInput, AccountView, SandboxReport } from './protocol.js';
import { RELEASE } from './release.js';

export interface SandboxOptions extends Partial<CampaignOptions> {
  /** 0 or left out takes a free port. */
  port?: number;
  seed?: number;
  /** Time between applying a message and answering: what a crash can fall into. */
  latencyMs?: number;
  /** What a request may be late on its way without breaking a limit; default 500. */
  slackMs?: number;
}

export interface Sandbox {
  readonly url: string;
  readonly pid: number;
  accounts(): Promise<AccountView[]>;
  /** Creates or changes accounts. */
  setAccounts(...accounts: readonly AccountPatchInput[]): Promise<void>;
  /** `full` adds `byReference`. */
  report(options?: { full?: boolean }): Promise<SandboxReport>;
  stop(): Promise<void>;
  /** Lets the sandbox outlive this process, from now on. */
  release(): Promise<void>;
}

/** Starts the sandbox platform as a process of its own, which dies with this one unless it is released. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const fromSource = import.meta.url.endsWith('.ts');
  const main = fileURLToPath(new URL(fromSource ? './main.ts' : './main.js', import.meta.url));
  const child = fork(main, commandLine(options), {
    execArgv: fromSource ? ['--import', 'tsx'] : [],
    // A group of its own: Ctrl-C reaches the parent alone, which stops things in its order.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const [listening] = (await Promise.race([
    once(child, 'message'),
    exit.then(([code]) => Promise.reject(new Error(`the sandbox ended with ${String(code)} at its start`))),
  ])) as [{ url: string; pid: number }];

  return {
    ...connectSandbox(listening.url),
    pid: listening.pid,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exit;
    },
    async release() {
      const sent = once(child, 'message');
      child.send(RELEASE);
      await sent;
      child.disconnect();
      child.unref();
    },
  };
}

/** A sandbox platform that runs already. */
export function connectSandbox(url: string): Omit<Sandbox, 'pid' | 'stop' | 'release'> {
  const call = async (path: string, init?: RequestInit): Promise<unknown> => {
    const response = await fetch(new URL(path, url), { ...init, signal: AbortSignal.timeout(30_000) });
    const body = await response.text();
    if (!response.ok) throw new Error(`sandbox ${path} answered ${response.status}: ${body}`);
    return JSON.parse(body) as unknown;
  };
  return {
    url,
    accounts: async () => (await call('/accounts')) as AccountView[],
    async setAccounts(...accounts) {
      const headers = { 'content-type': 'application/json' };
      // One a call, as the protocol has it, so that any platform of this protocol will do.
      for (const account of accounts) {
        await call('/accounts', { method: 'POST', headers, body: JSON.stringify(account) });
      }
    },
    report: async ({ full = false } = {}) =>
      (await call(full ? '/report?full=1' : '/report')) as SandboxReport,
  };
}

function commandLine(options: SandboxOptions): string[] {
  const { port, seed, accounts, jobs, kinds, seconds, latencyMs, slackMs, limits, faults } = options;
  const values = Object.entries({
    port,
    seed,
    accounts,
    jobs,
    kinds,
    seconds,
    'latency-ms': latencyMs,
    'slack-ms': slackMs,
  });
  return [
    ...values.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)])),
    ...(limits === true ? ['--limits'] : []),
    ...(faults === false ? ['--no-faults'] : []),
  ];
}
