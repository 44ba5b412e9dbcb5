import type { Call, Reply } from '../http/route.js';

/** `GET /metrics` in the text format of Prometheus. */
export async function getMetrics({ app }: Call): Promise<Reply> {
  return { status: 200, type: app.registry.contentType, text: await app.registry.metrics() };
}
