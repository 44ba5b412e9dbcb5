import { runChecks } from '@fairlane/runtime';
import type { Call, Reply } from '../http/route.js';

/** `GET /readyz`: Redis reachable and safe to keep jobs in, and the process not shutting down. */
export async function getReadiness({ app }: Call): Promise<Reply> {
  const { ok, checks } = await runChecks(app.readyz);
  const body = { status: ok ? 'ok' : 'failing', checks };
  return { status: ok ? 200 : 503, body, headers: { 'cache-control': 'no-store' } };
}
