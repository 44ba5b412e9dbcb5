import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { DrainResult, DrainSpec } from '../programs/drain.js';
import type { ExpressResult, ExpressSpec } from '../programs/express-app.js';
import type { ObserveResult, ObserveSpec } from '../programs/observe.js';
import type { ProduceResult, ProduceSpec } from '../programs/produce.js';

export interface Programs {
  drain: { spec: DrainSpec; result: DrainResult };
  'express-app': { spec: ExpressSpec; result: ExpressResult };
  observe: { spec: ObserveSpec; result: ObserveResult };
  produce: { spec: ProduceSpec; result: ProduceResult };
}

/** Closing a worker may take a while; a program that waits for a message that never comes, for ever. */
const LEAVE_TIMEOUT_MS = 10_000;

export interface Child<Result> {
  readonly pid: number;
  send(message: 'go' | 'stop'): void;
  /** What the program measured; rejects when it ended without a result. */
  readonly result: Promise<Result>;
  /** Resolves when the process is gone: after a result it leaves by itself, else it is killed. */
  end(): Promise<void>;
}

/**
 * Starts a program of `src/programs` in a process of its own and resolves when it is warm. Whoever takes
 * jobs shares neither event loop nor heap with whoever adds them or holds the stopwatch.
 */
export async function startChild<Name extends keyof Programs>(
  program: Name,
  port: number,
  spec: Programs[Name]['spec'],
): Promise<Child<Programs[Name]['result']>> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const path = fileURLToPath(new URL(`../programs/${program}.${extension}`, import.meta.url));
  const child = fork(path, [String(port), JSON.stringify(spec)], {
    // From sources the child needs the loader that this process has.
    execArgv: extension === 'ts' ? ['--import', 'tsx', '--conditions=fairlane-source'] : [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const messages = messagesOf(child, program);
  await messages.next();
  let finished = false;
  const result = messages.next().then((message) => {
    finished = true;
    return message as Programs[Name]['result'];
  });
  // The caller awaits it later; until then a failure must not count as unhandled.
  result.catch(() => undefined);
  return {
    pid: child.pid!,
    send: (message) => {
      child.send(message);
    },
    result,
    async end() {
      if (!finished) child.kill('SIGKILL');
      const timer = setTimeout(() => child.kill('SIGKILL'), LEAVE_TIMEOUT_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}

function messagesOf(child: ChildProcess, program: string): { next(): Promise<unknown> } {
  const arrived: unknown[] = [];
  const waiting: { resolve(message: unknown): void; reject(error: Error): void }[] = [];
  let ended: Error | undefined;
  child.on('message', (message) => {
    const waiter = waiting.shift();
    if (waiter === undefined) arrived.push(message);
    else waiter.resolve(message);
  });
  child.once('exit', (code, signal) => {
    ended = new Error(`${program} ended with ${signal ?? code} before it told what it measured`);
    for (const waiter of waiting.splice(0)) waiter.reject(ended);
  });
  return {
    async next() {
      if (arrived.length > 0) return arrived.shift();
      if (ended !== undefined) throw ended;
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
  };
}
