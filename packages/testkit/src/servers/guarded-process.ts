import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface GuardedProcessOptions {
  command: string;
  args: readonly string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** File descriptor that receives stdout and stderr; ignored when left out. */
  logFd?: number;
}

export interface GuardedProcess {
  readonly pid: number;
  readonly exited: boolean;
  /** Resolves with what ended it: an exit code or a signal name. */
  readonly exit: Promise<number | NodeJS.Signals>;
  /** Sends `signal` and waits; after `graceMs` SIGKILL. */
  stop(options?: { signal?: NodeJS.Signals; graceMs?: number }): Promise<void>;
  kill(): Promise<void>;
  /** Lets the process outlive this one, from now on. */
  release(): void;
}

/** Becomes the program once told so, when its guard is there already; ends if its parent dies before. */
const LAUNCH = 'read -r go && exec "$@" </dev/null';

/**
 * Starts a child in a process group of its own, so that Ctrl-C in a terminal reaches the parent only and
 * the parent decides the order in which things stop. A group of its own would outlive a parent that is
 * SIGKILLed, hence the guard: a shell that reads a pipe held by the parent and kills the child when the
 * pipe closes. Portable, where PR_SET_PDEATHSIG is Linux alone.
 */
export async function startGuardedProcess(options: GuardedProcessOptions): Promise<GuardedProcess> {
  const output = options.logFd ?? 'ignore';
  const child = spawn('/bin/sh', ['-c', LAUNCH, 'launch', options.command, ...options.args], {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ['pipe', output, output],
  });
  await once(child, 'spawn');
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${options.command} started without a process id`);

  const guard = startGuard(pid);
  child.stdin?.on('error', () => undefined);
  child.stdin?.end('go\n');
  let exited = false;
  const exit = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => {
      exited = true;
      // Before the process id can belong to anyone else, the guard has to forget it.
      guard.kill('SIGKILL');
      resolve(signal ?? code ?? 0);
    });
  });

  return {
    pid,
    exit,
    get exited() {
      return exited;
    },
    async stop({ signal = 'SIGTERM', graceMs = 10_000 } = {}) {
      if (exited) return;
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exit;
      clearTimeout(timer);
    },
    async kill() {
      if (!exited) child.kill('SIGKILL');
      await exit;
    },
    release() {
      guard.kill('SIGKILL');
      child.unref();
    },
  };
}

/**
 * For a child that was started another way, `detached`: ends its group when this process is gone, however it went.
 * To be killed when the child has ended, before the id can belong to anyone else.
 */
export function startGuard(pid: number): ChildProcess {
  const guard = spawn(
    '/bin/sh',
    ['-c', 'read -r _; kill -s KILL -- "-$1" 2>/dev/null', 'guard', String(pid)],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  // A guard that cannot start only loses the protection against a SIGKILLed parent.
  guard.on('error', () => undefined);
  guard.stdin?.on('error', () => undefined);
  guard.unref();
  return guard;
}
