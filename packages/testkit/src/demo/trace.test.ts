import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { temporaryFolder } from '../vitest/index.js';
import { arrivalsOf, readTrace } from './trace.js';

async function arrivals(text: string) {
  const file = join(temporaryFolder(), 'trace.csv');
  await writeFile(file, text);
  const all = [];
  for await (const { atMs, payload } of arrivalsOf(readTrace(file), 1)) all.push({ atMs, ...payload });
  return all;
}

describe('a trace', () => {
  it('spreads the jobs of a minute over it, accounts in turn', async () => {
    const jobs = await arrivals('minute,account,jobs\n2,big,3\n2,small,1\n3,small,1\n');
    expect(jobs.map(({ accountId, atMs }) => [accountId, atMs])).toEqual([
      ['big', 120_000],
      ['small', 135_000],
      ['big', 150_000],
      ['big', 165_000],
      ['small', 180_000],
    ]);
  });

  it('never repeats a job of an account, over all minutes', async () => {
    const jobs = await arrivals('0,a,5\n1,a,5\n1,b,2\n');
    expect(new Set(jobs.map((job) => `${job.accountId} ${job.leadId} ${job.step}`)).size).toBe(12);
  });

  it.each([
    ['0,a,1\n1,b\n', ':2: expected minute,account,jobs, got "1,b"'],
    ['0,a,-1\n', ':1: expected minute'],
    ['5,a,1\n4,a,1\n', ':2: minutes must not go back'],
  ])('names the line that is wrong in %j', async (text, message) => {
    await expect(arrivals(text)).rejects.toThrow(message);
  });
});
