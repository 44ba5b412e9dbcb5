import type { Call, Reply } from '../http/route.js';

/** `GET /metrics` in the text format of Prometheus: of this process, and how the deployment stands. */
export async function getMetrics({ app }: Call): Promise<Reply> {
  await app.readSharedMetrics();
  return { status: 200, type: app.registry.contentType, text: await app.registry.metrics() };
}
