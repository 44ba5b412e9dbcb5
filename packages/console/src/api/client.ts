import { connection } from '../live/connection.js';
import type { Problem } from './types.js';

/** Longer than any page needs; the board itself gives up after 30 s. */
const FIRST_READ_MS = 20_000;
/** With data on the screen a silent API must show as stale soon. */
const REFRESH_MS = 4_000;
const WRITE_MS = 30_000;

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }
}

/** The board's address of a path of the API, such as `v1/queues`. */
export function apiUrl(path: string): string {
  return new URL(`api/${path}`, document.baseURI).href;
}

export async function read<T>(
  path: string,
  { signal, isRefresh }: { signal: AbortSignal; isRefresh: boolean },
): Promise<T> {
  const timeout = AbortSignal.timeout(isRefresh ? REFRESH_MS : FIRST_READ_MS);
  const response = await ask(path, { signal: AbortSignal.any([signal, timeout]) }, signal);
  return (await response.json()) as T;
}

export async function write<T>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  { body, idempotencyKey }: { body?: unknown; idempotencyKey?: string } = {},
): Promise<T> {
  const headers: Record<string, string> = { 'x-xsrf-token': csrfToken() };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  const response = await ask(path, {
    method,
    headers,
    signal: AbortSignal.timeout(WRITE_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** The first `maxBytes` of an answer as text, and whether that is all of it. */
export async function readText(path: string, maxBytes: number): Promise<{ text: string; whole: boolean }> {
  const response = await ask(path, { signal: AbortSignal.timeout(FIRST_READ_MS) });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; bytes < maxBytes;) {
    const chunk = await reader?.read();
    if (chunk?.value === undefined) return { text: text + decoder.decode(), whole: true };
    const part = chunk.value.subarray(0, maxBytes - bytes);
    bytes += chunk.value.length;
    text += decoder.decode(part, { stream: true });
  }
  await reader?.cancel();
  return { text, whole: false };
}

async function ask(path: string, init: RequestInit, givenUp?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    const headers = new Headers(init.headers);
    headers.set('accept', 'application/json');
    response = await fetch(apiUrl(path), {
      ...init,
      headers,
    });
  } catch (cause) {
    // A page that was left is no sign of anything.
    if (givenUp?.aborted === true) throw cause;
    connection.failed();
    throw new ApiError(0, 'unreachable', 'The board cannot be reached.');
  }
  if (response.ok) {
    connection.answered();
    return response;
  }
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  const code = problem.code ?? `http_${response.status}`;
  if (response.status === 401) connection.signedOut();
  else if (response.status >= 502) connection.failed();
  else connection.answered();
  const words = [problem.title, problem.detail].filter((text) => text !== undefined && text !== '');
  throw new ApiError(
    response.status,
    code,
    words.length > 0 ? `${words.join(': ')}.`.replace('..', '.') : code,
  );
}

function csrfToken(): string {
  return /(?:^|;\s*)XSRF-TOKEN=([^;]*)/.exec(document.cookie)?.[1] ?? '';
}
