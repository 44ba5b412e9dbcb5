import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureChromium } from '../ensure-chromium.js';
import { useConsole } from '../open-console.js';
import { authorized, timeCalls, timeEnqueues } from './call-times.js';
import { addLargePayloads, type LargePayloads } from './large-payloads.js';
import { pagesOf } from './pages.js';
import { timePages } from './page-times.js';
import { seedDead } from './seed-dead.js';

export interface LargeSize {
  dead: number;
  accounts: number;
  /** Jobs with 3 MB inside of Redis. */
  inlineCount: number;
  /** Pages that are opened, by name; left out: all. */
  only?: RegExp;
  /** Jobs on a page of the API. */
  limit: number;
  /** Times that each page is opened. */
  rounds: number;
  /** What a page or a list may take until it can be used. */
  usableWithinMs: number;
}

/** A33: pages and lists of a deployment with very many dead jobs and large payloads. Prints what it measured. */
export async function describeLarge({
  dead,
  accounts,
  inlineCount,
  limit,
  rounds,
  usableWithinMs,
  only = /./,
}: LargeSize): Promise<void> {
  const blobFolder = mkdtempSync(join(tmpdir(), 'fairlane-large-blobs-'));
  afterAll(() => rmSync(blobFolder, { recursive: true, force: true }));
  const blobStore = `file:${blobFolder}`;
  const redis = useRedis();
  const executablePath = await ensureChromium();
  const opened = useConsole(redis, executablePath, { FAIRLANE_BLOB_STORE: blobStore });

  /** Everything that Redis has sent. */
  async function bytesOut(): Promise<number> {
    return Number(/^total_net_output_bytes:(\d+)/m.exec(await redis.client.info('stats'))?.[1]);
  }

  describe.runIf(executablePath)(`with ${dead} dead jobs`, () => {
    let large: LargePayloads;
    let deadId = '';
    beforeAll(async () => {
      const { prefix, campaign } = opened;
      const diedPerSecond = await seedDead({ redis: redis.url, prefix, jobs: dead, accounts });
      const outreach = campaign.queues.find(({ name }) => name === 'outreach');
      [deadId = ''] = (await outreach?.getRanges(['failed'], 0, 0)) ?? [];
      large = await addLargePayloads(opened, { redis: redis.url, blobStore, inlineCount });
      print({ dead, accounts, inlineCount, diedPerSecond });
    }, 30 * 60_000);

    test('A33: every page of Bull Board and console can soon be used', { timeout: 10 * 60_000 }, async () => {
      await using visit = await opened.visit({ path: '/workers' });
      const { checkedId, inlineIds } = large;
      const known = { deadId, checkedId, inlineId: inlineIds[0] ?? '' };
      const pages = pagesOf(known).filter(({ name }) => only.test(name));
      const usableMs = await timePages(visit.page, opened.board.url, pages, rounds);
      print({ usableMs });
      expect(Object.entries(usableMs).filter(([, ms]) => ms >= usableWithinMs)).toEqual([]);
      expect(visit.complaints).toEqual([]);
    });

    test('A33: a list of jobs moves no payload out of Redis', async () => {
      const listed = await fetch(`${opened.api.url}/v1/jobs?state=ready&limit=500`, authorized(opened.api));
      const movedBefore = await bytesOut();
      const again = await fetch(`${opened.api.url}/v1/jobs?state=ready&limit=500`, authorized(opened.api));
      const { items } = (await again.json()) as { items: unknown[] };
      expect([listed.status, items.length]).toEqual([200, inlineCount]);
      expect((await bytesOut()) - movedBefore).toBeLessThan(1_000_000);
    });

    test('A33: lists of the API answer soon and are capped', { timeout: 10 * 60_000 }, async () => {
      const calls = await timeCalls(opened.api, limit, rounds);
      print({ calls });
      for (const [path, { ms, bytes }] of Object.entries(calls)) {
        expect([path, ms < usableWithinMs, bytes < 1_000_000]).toEqual([path, true, true]);
      }
    });

    test('A33: handing jobs in stays quick while the largest pages are read', async () => {
      const enqueueMsP99 = await timeEnqueues(opened.api, 20 * rounds);
      print({ enqueueMsP99 });
      expect(enqueueMsP99.whilePagesAreRead).toBeLessThan(usableWithinMs);
    });
  });
}

function print(figures: object): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
