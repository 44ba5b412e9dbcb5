import type { Call, Reply } from '../http/route.js';

/** `GET /openapi.json` */
export function getDocument({ app }: Call): Reply {
  return { status: 200, body: app.documentation.document };
}
