import { request as httpRequest } from 'node:http';
import * as fc from 'fast-check';
import type { Route } from '../http/route.js';
import { message } from './catalogue.js';
import type { Answer, ApiUnderTest } from './start-api.js';

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
  Buffer.from('{"queue":"x"}').toString('base64url'),
  Buffer.from('[{"queue":"../x","state":"active","offset":-1}]').toString('base64url'),
];

/** JSON text that JSON.stringify would not write. */
interface Raw {
  readonly raw: string;
}
const raw = (text: string): Raw => ({ raw: text });

const text = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary', maxLength: 40 }));
const json = fc.oneof(
  fc.jsonValue({ depthSize: 'medium' }),
  text,
  fc.integer({ min: 1, max: 5000 }).map((depth) => raw('['.repeat(depth) + ']'.repeat(depth))),
  fc.integer({ min: 1, max: 200_000 }).map((length) => 'x'.repeat(length)),
  fc
    .constantFrom(
      '{"__proto__":{"polluted":1}}',
      '{"constructor":{"prototype":{"polluted":1}}}',
      '1e999',
      '[1,]',
    )
    .map(raw),
);

const goodParameters: Readonly<Record<string, string>> = {
  name: 'message.send',
  id: 'AAAAAAAAAAAAAAAAAAAAAA',
  queue: 'outreach',
  account: 'own',
  group: 'email',
  digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
};
const hours = { zone: 'Europe/Paris', days: [1, 2], from: '09:00', to: '17:00' };
const goodBodies: readonly (readonly [suffix: string, body: () => Record<string, unknown>])[] = [
  ['/v1/jobs/{name}', () => message()],
  ['/batch', () => message()],
  ['/limits/{group}', () => ({ limit: 5, perMs: 1_000, burst: 2, maxInFlight: 3 })],
  ['/resolve', () => ({ outcome: 'applied', externalId: 'm-7' })],
  ['/v1/jobs/cancel', () => ({ filter: { account: 'own', tag: 'spring' } })],
  ['/dead-letters/replay', () => ({ filter: { account: 'own' }, perSecond: 5 })],
  [
    '/v1/readings',
    () => ({ accountId: 'own', host: 'db-1', mount: '/', percent: 40, at: '2024-05-01T08:00:00Z' }),
  ],
  ['/v1/webhook-endpoints/{id}', () => ({ accountId: 'own', url: 'https://9.9.9.9/hook' })],
  ['/v1/accounts/{account}', () => ({ weight: 2, windows: [hours] })],
];
const fields = [
  'accountId',
  'leadId',
  'step',
  'to',
  'limit',
  'perMs',
  'burst',
  'weight',
  'windows',
  'outcome',
  'externalId',
  'filter',
  'all',
  'dryRun',
  'perSecond',
  'host',
  'percent',
  'at',
  'url',
  'secret',
  'disabled',
  'more',
  '__proto__',
];
const queryNames = [
  'code',
  'since',
  'runAt',
  'delayMs',
  'priority',
  'limit',
  'cursor',
  'search',
  'sort',
  '__proto__',
  'a[b]',
];

const headers = fc.dictionary(
  fc.constantFrom('content-type', 'content-encoding', 'x-request-id', 'accept', 'idempotency-key', 'cookie'),
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

const query = fc.oneof(
  fc
    .array(fc.tuple(fc.constantFrom(...queryNames), text), { minLength: 1, maxLength: 4 })
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

const body = fc.oneof(
  // Fields of a good body replaced, added or taken away.
  fc.dictionary(fc.constantFrom(...fields), json, { minKeys: 1 }),
  json.map((value) => stringify(value)),
  fc.array(json, { maxLength: 5 }).map((lines) => lines.map(stringify).join('\n')),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

function sometimes<T>(arbitrary: fc.Arbitrary<T>) {
  return fc.option(arbitrary, { nil: undefined, freq: 2 });
}

/**
 * Each part is undefined where it is to be good, so that most calls are wrong in one place only. Every fourth is good
 * altogether: with many routes hardly any would be so by chance, and none would come to a handler.
 */
export function fuzzedCalls(routes: readonly Route[]) {
  // By index: a report of a counterexample would print a whole route with its schemas.
  const routeIndex = fc.nat(routes.length - 1);
  const good = fc.constant(undefined);
  const wrong = fc.record({
    routeIndex,
    parameter: sometimes(text),
    query: sometimes(query),
    headers: sometimes(headers),
    body: sometimes(body),
    token: fc.constantFrom('operator', 'operator', 'own-operator', 'producer', 'viewer', 'limits'),
  });
  const right = fc.record({
    routeIndex,
    parameter: good,
    query: good,
    headers: good,
    body: good,
    token: fc.constant('operator'),
  });
  return fc.oneof({ weight: 3, arbitrary: wrong }, { weight: 1, arbitrary: right });
}

export type FuzzedCall = ReturnType<typeof fuzzedCalls> extends fc.Arbitrary<infer C> ? C : never;

export function pathOf(route: Route, { parameter, query = '' }: FuzzedCall): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    encode(parameter ?? goodParameters[name] ?? 'x'),
  );
  return path + query;
}

function bodyOf(route: Route, { body }: FuzzedCall): string | Buffer {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body;
  const good = goodBodies.find(([suffix]) => route.path.endsWith(suffix))?.[1]() ?? {};
  return stringify({ ...good, ...body });
}

/** Not through fetch, which sends neither bodies with GET nor a header twice. */
export function sendFuzzed(api: ApiUnderTest, route: Route, call: FuzzedCall): Promise<Answer> {
  const sent = bodyOf(route, call);
  return new Promise((resolve, reject) => {
    const options = {
      method: route.method.toUpperCase(),
      headers: {
        ...call.headers,
        authorization: `Bearer ${api.tokens[call.token as 'operator']}`,
        // Left out with GET by Node, whose body would then be rubbish after the request.
        'content-length': Buffer.byteLength(sent),
      },
    };
    const request = httpRequest(api.url + pathOf(route, call), options, (response) => {
      const chunks: Buffer[] = [];
      const answer = () => {
        const pairs = Object.entries(response.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: new Headers(pairs), text, json: {} });
      };
      // A stream of events has no end.
      if (response.headers['content-type'] === 'text/event-stream') {
        answer();
        request.destroy();
        return;
      }
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', answer);
    });
    request.on('error', reject);
    request.end(sent);
  });
}

function encode(value: string): string {
  return encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, '\ufffd'));
}

/** JSON.stringify that puts raw texts in as they are, and keeps a key `__proto__`. */
function stringify(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  if (Array.isArray(value)) return `[${value.map(stringify).join(',')}]`;
  if ('raw' in value && typeof value.raw === 'string') return value.raw;
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${stringify(member)}`)
    .join(',')}}`;
}
