import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { findTarget, type Address, type TargetRules } from './target.js';

export interface GuardedPost extends TargetRules {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For everything: finding the address, connecting, the answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What came back. Fits `httpError`. */
export interface GuardedAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** An answer's body is of no use to us. So much of it is let pass, so that its sender is not cut off without need. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_ANSWER_MS = 1_000;

/**
 * Posts to a URL that a customer named, as that customer's browser could and not as a machine of our network can:
 * the address is found once, checked, and the connection goes to that address, so a name whose answer changes in
 * between gains nothing. No redirect is followed, which could lead anywhere. A connection serves one request.
 *
 * @throws ForbiddenTargetError; the reason of the signal; TimeoutError; errors of Node's client as they are.
 */
export async function guardedPost(post: GuardedPost): Promise<GuardedAnswer> {
  const limit = AbortSignal.any([post.signal, AbortSignal.timeout(post.timeoutMs)]);
  try {
    return await send(post, limit);
  } catch (error) {
    // Node's own error only says that it was aborted, not whether the time was up.
    throw limit.aborted ? limit.reason : error;
  }
}

async function send(post: GuardedPost, signal: AbortSignal): Promise<GuardedAnswer> {
  const { url, addresses } = await unlessAborted(findTarget(post.url, post), signal);
  const body = Buffer.from(post.body);
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: 'POST',
    headers: { ...post.headers, 'content-length': body.byteLength },
    lookup: pinnedTo(addresses),
    // An agent of its own: none that the environment could give a proxy.
    agent: false,
    signal,
  });
  // Errors after the answer have nobody else to go to.
  request.on('error', () => undefined);
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await letPass(response);
  const { statusCode = 0, headers } = response;
  return {
    status: statusCode,
    headers: {
      get(name) {
        const value = headers[name.toLowerCase()];
        return (Array.isArray(value) ? value.join(', ') : value) ?? null;
      },
    },
  };
}

/** In place of asking the resolver again. Not called at all for a URL that holds an address. */
function pinnedTo(addresses: readonly Address[]): LookupFunction {
  const all = addresses.map(({ address, family }) => ({ address, family }));
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };
}

/** The status is all that counts, so however the body ends is fine. */
async function letPass(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  const cutOff = setTimeout(() => response.destroy(), MAX_ANSWER_MS);
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).byteLength;
      if (bytes > MAX_ANSWER_BYTES) break;
    }
  } catch {
    // Cut off by its sender, by the time or by us.
  } finally {
    clearTimeout(cutOff);
    response.destroy();
  }
}

/** The resolver of the operating system cannot be stopped, only left. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const settled = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { signal: settled.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    settled.abort();
  }
}
