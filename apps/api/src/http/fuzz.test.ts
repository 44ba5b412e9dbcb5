import { request as httpRequest } from 'node:http';
import { useRedis } from '@fairlane/testkit/vitest';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { routes } from '../routes.js';
import { catalogue, message } from '../testing-support/catalogue.js';
import { readDocument } from '../testing-support/documented-answers.js';
import { startApi, type Answer, type ApiUnderTest } from '../testing-support/start-api.js';

const redis = useRedis();
const runs = Number(process.env['FUZZ_RUNS'] ?? 400);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_129);

const hostileTexts = [
  '',
  ' ',
  '.',
  '..',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  '{fairlane}:x',
  '*',
  'a:b:c',
  '0',
  '-1',
  '1e309',
  'NaN',
  '9'.repeat(30),
  'null',
  '😀',
  '\u0000',
  '\ud800',
  '\u202e',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  'x'.repeat(5000),
  'eyJjdXJzb3IiOjF9',
];

const text = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary', maxLength: 40 }));
const known = fc.constantFrom(
  'message.send',
  'message.send',
  'alert.raise',
  'outreach',
  'own',
  'AAAAAAAAAAAAAAAAAAAAAA',
);
const json = fc.oneof(
  fc.jsonValue({ depthSize: 'medium', noUnicodeString: false }),
  text,
  fc.integer({ min: 1, max: 5000 }).map((depth) => raw('['.repeat(depth) + ']'.repeat(depth))),
  fc.integer({ min: 1, max: 200_000 }).map((length) => 'x'.repeat(length)),
  fc.constant(raw('{"__proto__":{"polluted":1}}')),
  fc.constant(raw('{"constructor":{"prototype":{"polluted":1}}}')),
  fc.constant(raw('1e999')),
  fc.constant(raw('[1,]')),
);

/** JSON text that JSON.stringify would not write. */
interface Raw {
  readonly raw: string;
}
function raw(value: string): Raw {
  return { raw: value };
}
function stringify(value: unknown): string {
  const texts: string[] = [];
  const out = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || !('raw' in part)) return part;
    texts.push((part as Raw).raw);
    return `\u0001${texts.length - 1}\u0001`;
  });
  return (out ?? '').replaceAll(/"\\u0001(\d+)\\u0001"/g, (_match, index) => texts[Number(index)] ?? '');
}

/** A good payload with some fields replaced, added or taken away; or anything at all. */
const payload = fc.oneof(
  fc.constant(null).map(() => message()),
  fc
    .dictionary(
      fc.constantFrom('accountId', 'leadId', 'step', 'channel', 'to', 'body', 'more', '__proto__'),
      json,
    )
    .map((changes) => Object.assign(Object.create(null), message(), changes) as unknown),
  json,
);

const oddHeaders = fc.dictionary(
  fc.constantFrom(
    'content-type',
    'content-encoding',
    'x-request-id',
    'accept',
    'idempotency-key',
    'x-forwarded-for',
    'cookie',
  ),
  fc.oneof(
    fc.constantFrom(
      'gzip',
      'application/json',
      'text/plain;charset=utf-16',
      'a'.repeat(4000),
      '__proto__',
      '*/*',
      '',
    ),
    fc.array(fc.constantFrom('a', 'b'), { minLength: 2, maxLength: 3 }),
  ),
);

const headers = fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, oddHeaders);

const query = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc
    .array(
      fc.tuple(
        fc.constantFrom('runAt', 'delayMs', 'priority', 'limit', 'cursor', 'state', '__proto__', 'a[b]'),
        text,
      ),
      {
        maxLength: 4,
      },
    )
    .map((pairs) => `?${pairs.map(([key, value]) => `${key}=${encode(value)}`).join('&')}`),
  fc.constantFrom(
    '?%',
    '?%ff=%ff',
    '?&&==&',
    `?${'a=1&'.repeat(2000)}`,
    '?delayMs[]=1',
    '?delayMs[__proto__]=1',
  ),
);

const call = fc.record({
  route: fc.constantFrom(...routes),
  parameters: fc.array(fc.oneof({ weight: 3, arbitrary: known }, text), { minLength: 3, maxLength: 3 }),
  query,
  headers,
  body: fc.oneof(
    payload.map(stringify),
    fc.array(payload, { maxLength: 5 }).map((lines) => lines.map(stringify).join('\n')),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  ),
  token: fc.constantFrom('operator', 'own-operator', 'producer', 'viewer', 'limits'),
});

function encode(value: string): string {
  return encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, '\ufffd'));
}

/** Not through fetch, which sends neither bodies with GET nor a header twice. */
function send(api: ApiUnderTest, path: string, { route, headers, body, token }: FuzzedCall): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      api.url + path,
      {
        method: route.method.toUpperCase(),
        headers: {
          ...headers,
          authorization: `Bearer ${api.tokens[token as 'operator']}`,
          // Node sends the body of a GET without it, which is then no body but rubbish after the request.
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          const pairs = Object.entries(response.headers).map(([name, value]): [string, string] => [
            name,
            String(value),
          ]);
          resolve({ status: response.statusCode ?? 0, headers: new Headers(pairs), text: answer, json: {} });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

type FuzzedCall = typeof call extends fc.Arbitrary<infer C> ? C : never;

/** Short, since a counterexample may hold megabytes; seed and path bring it back. */
async function report(details: fc.RunDetails<[FuzzedCall]>): Promise<void> {
  if (!details.failed) return;
  const { seed, counterexamplePath, errorInstance } = details;
  throw new Error(`seed ${seed}, path ${counterexamplePath}: ${String(errorInstance)}`);
}

describe('fuzz', () => {
  it('A25 answers whatever is sent as documented, without a 5xx, and nothing is polluted', async () => {
    const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
    const { differences } = readDocument((await api.call('GET', '/openapi.json')).json);
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(call, async (fuzzed) => {
        let next = 0;
        const path = fuzzed.route.path.replaceAll(/\{\w+\}/g, () => encode(fuzzed.parameters[next++] ?? ''));
        const answer = await send(api, path + fuzzed.query, fuzzed);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        // Node refuses a request whose headers exceed 16 KiB before the app sees it.
        if (answer.status === 431) return;
        // Dots and empty parameters lead to another route or none: then only the status is judged.
        const asWritten = fuzzed.parameters.every((parameter) => !['', '.', '..'].includes(parameter));
        const wrong = asWritten ? differences(fuzzed.route.path, fuzzed.route.method, answer) : [];
        if (answer.status >= 500 || wrong.length > 0) {
          throw new Error(
            `${fuzzed.route.method} ${path.slice(0, 200)}: ${answer.status} ${wrong.join('; ')}`,
          );
        }
      }),
      { numRuns: runs, seed, endOnFailure: true, asyncReporter: report },
    );
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 202, 400, 403, 404, 413, 422]));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((await api.call('GET', '/healthz')).status).toBe(200);
    const internal = api.log.filter(({ level }) => level === 'error' || level === 'fatal');
    expect(internal).toEqual([]);
    expect(catalogue.job('__proto__')).toBeUndefined();
  });
});
