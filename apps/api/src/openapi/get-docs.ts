import type { Call, Reply } from '../http/route.js';
import { docsContentPolicy } from './docs-page.js';

/** `GET /docs` */
export function getDocs({ app }: Call): Reply {
  const headers = { 'content-security-policy': docsContentPolicy };
  return { status: 200, type: 'text/html; charset=utf-8', text: app.documentation.page, headers };
}
