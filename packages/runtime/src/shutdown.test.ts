import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';

const index = JSON.stringify(new URL('./index.ts', import.meta.url).href);
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process that prints `ready`, then a word at each step of its shutdown. */
function start(steps: string, deadlineMs = 10_000) {
  const script = `
    import { createLogger, createShutdown } from ${index};
    const say = (word) => process.stdout.write(word + '\\n');
    const logger = createLogger({ app: 'test', level: 'silent' });
    const shutdown = createShutdown({ logger, deadlineMs: ${deadlineMs} });
    setInterval(() => {}, 1000);
    ${steps}
    say('ready');`;
  const args = ['--conditions=fairlane-source', '--import=tsx', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const words: string[] = [];
  const waiting: { word: string; resolve: () => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    words.push(line);
    for (const waiter of waiting) if (waiter.word === line) waiter.resolve();
  });
  return {
    child,
    words,
    said: (word: string) =>
      new Promise<void>((resolve) => {
        if (words.includes(word)) resolve();
        else waiting.push({ word, resolve });
      }),
    exit: async () => {
      const [code] = (await once(child, 'close')) as [number | null];
      return code;
    },
  };
}

describe('shutdown', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s closes what was opened last first, then exits 0',
    async (signal) => {
      const { child, words, said, exit } = start(`
      shutdown.add('redis', async () => say('redis'));
      shutdown.add('server', () => new Promise((resolve) => setTimeout(() => { say('server'); resolve(); }, 20)));`);
      await said('ready');
      child.kill(signal);
      expect(await exit()).toBe(0);
      expect(words).toEqual(['ready', 'server', 'redis']);
    },
  );

  it('a second signal ends the process at once', async () => {
    const { child, said, exit } = start(
      `shutdown.add('stuck', () => { say('closing'); return new Promise(() => {}); });`,
    );
    await said('ready');
    child.kill('SIGTERM');
    await said('closing');
    child.kill('SIGTERM');
    expect(await exit()).toBe(1);
  });

  it('A26 a step that hangs is cut off at the deadline', async () => {
    const { child, said, exit } = start(`shutdown.add('stuck', () => new Promise(() => {}));`, 200);
    await said('ready');
    child.kill('SIGTERM');
    expect(await exit()).toBe(1);
  });

  it('a step that fails does not keep the others from closing', async () => {
    const { child, words, said, exit } = start(`
      shutdown.add('redis', () => say('redis'));
      shutdown.add('broken', () => { throw new Error('no'); });`);
    await said('ready');
    child.kill('SIGTERM');
    expect(await exit()).toBe(1);
    expect(words).toEqual(['ready', 'redis']);
  });

  it('an uncaught error closes everything and exits 1', async () => {
    const { words, exit } = start(`
      shutdown.add('redis', () => say('redis'));
      setTimeout(() => { throw new Error('no'); }, 20);`);
    expect(await exit()).toBe(1);
    expect(words).toEqual(['ready', 'redis']);
  });
});
