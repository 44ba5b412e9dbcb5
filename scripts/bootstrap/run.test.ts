import { describe, expect, it } from 'vitest';

import { untilGone } from '../../packages/testkit/src/servers/liveness.js';
import { PATIENCE_MS } from '../../packages/testkit/src/vitest/index.js';
import { spawnFixture } from './fixtures/spawn-fixture.js';
import { run } from './run.mjs';

describe('a program run by the bootstrap', () => {
  it('hands over its exit code and the end of its output', async () => {
    const result = await run('/bin/sh', ['-c', 'echo out; echo err >&2; exit 3'], { output: 'capture' });
    expect(result.ok).toBe(false);
    expect(result.code).toBe(3);
    expect(result.output.split('\n').toSorted()).toEqual(['', 'err', 'out']);
  });

  it('that does not exist is a failure with its name, not a crash', async () => {
    const result = await run('/nonexistent/program', [], { output: 'capture' });
    expect(result).toMatchObject({ ok: false, code: 127 });
    expect(result.output).toContain('/nonexistent/program');
  });

  it('is ended when its time is over', async () => {
    const started = performance.now();
    const result = await run('/bin/sh', ['-c', 'sleep 60'], { output: 'capture', timeoutMs: 50 });
    expect(result.ok).toBe(false);
    expect(performance.now() - started).toBeLessThan(50_000);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'goes with everything it started when the command gets %s',
    async (signal) => {
      const command = spawnFixture('run-family.mjs');
      const family = [Number(await command.nextLine()), Number(await command.nextLine())];
      command.process.kill(signal);
      await expect(Promise.all(family.map((pid) => untilGone(pid, PATIENCE_MS)))).resolves.toHaveLength(2);
    },
  );
});
