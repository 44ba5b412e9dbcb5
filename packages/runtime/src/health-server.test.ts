import { afterEach, describe, expect, it } from 'vitest';
import { createHealthServer, type HealthServer, type HealthServerOptions } from './health-server.js';
import { createLogger } from './logger.js';
import { createMetrics } from './metrics.js';

const logger = createLogger({ app: 'test', level: 'silent' });
let server: HealthServer | undefined;

async function serve(options: Partial<HealthServerOptions>): Promise<string> {
  server = await createHealthServer({ host: '127.0.0.1', port: 0, logger, ...options });
  return server.url;
}

afterEach(async () => {
  await server?.close();
});

describe('health server', () => {
  it('answers 200 while every check passes and 503 with the reason when one fails', async () => {
    let reason: string | undefined;
    const url = await serve({ readyz: { redis: () => undefined, worker: async () => reason } });
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ status: 'ok', checks: { redis: 'ok', worker: 'ok' } });
    reason = 'draining';
    const draining = await fetch(`${url}/readyz`);
    expect(draining.status).toBe(503);
    expect(await draining.json()).toEqual({ status: 'failing', checks: { redis: 'ok', worker: 'draining' } });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('takes a check that throws as failed, without telling anyone what it threw', async () => {
    const url = await serve({
      healthz: { redis: () => Promise.reject(new Error('redis://user:secret@host')) },
    });
    const response = await fetch(`${url}/healthz`);
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain('secret');
  });

  it('takes a check that hangs as failed after its time limit', async () => {
    const url = await serve({ healthz: { loop: () => new Promise(() => {}) } });
    const response = await fetch(`${url}/healthz`);
    expect(await response.json()).toMatchObject({ checks: { loop: 'no answer within 2000 ms' } });
  });

  it('shows metrics, among them the lag of the event loop', async () => {
    const url = await serve({ registry: createMetrics() });
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toMatch(/^fairlane_event_loop_lag_seconds [\d.e-]+$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  });

  it('knows no other path and changes nothing', async () => {
    const url = await serve({});
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect((await fetch(`${url}/constructor`)).status).toBe(404);
    expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(405);
  });
});
