import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Bodies of handlers: `ctx` and `payload` are theirs. What is before `---` stands at the top of the file. */
const REFUSED: Record<string, string> = {
  fetch: 'await fetch(payload.url);',
  'fetch in a chain, once': 'return fetch(payload.url).then((answer) => answer.text());',
  'fetch of globalThis': 'await globalThis.fetch(payload.url);',
  'a socket': 'const socket = new WebSocket(payload.url); return socket.url;',
  'the http module': "import http from 'node:http';\n---\nhttp.request(payload.url);",
  'a function of it': "import { request } from 'node:https';\n---\nrequest(payload.url);",
  axios: "import axios from 'axios';\n---\nawait axios.post(payload.url);",
  'axios as a function': "import axios from 'axios';\n---\nawait axios(payload.url);",
  'a client made of axios':
    "import axios from 'axios';\n---\nconst api = axios.create(); await api.post('/charges');",
  undici: "import * as undici from 'undici';\n---\nawait undici.request(payload.url);",
  'a database':
    "import pg from 'pg';\nconst pool = new pg.Pool();\n---\nawait pool.query('UPDATE invoices SET paid = true');",
  'a redis': "import { Redis } from 'ioredis';\nconst redis = new Redis();\n---\nawait redis.set('a', 'b');",
  'an object store':
    "import { S3Client } from '@aws-sdk/client-s3';\nconst s3 = new S3Client();\n---\nawait s3.send(payload);",
  'a mailer':
    "import { createTransport } from 'nodemailer';\nconst mail = createTransport();\n---\nawait mail.sendMail({});",
  'a function called from an effect and beside it':
    "const send = async () => fetch(payload.url);\nawait ctx.effect('send', { perform: () => send() });\nawait send();",
  'a member of an effect that is not performed':
    "await ctx.effect('send', { perform: async () => 1, timeoutMs: (await fetch(payload.url)).status });",
  'an object that is no effect': 'await ctx.other("send", { perform: async () => fetch(payload.url) });',
  'an object beside the options':
    "await ctx.effect('send', { perform: async () => 1 }, { perform: async () => fetch(payload.url) });",
  'a comment without a reason': '// outside an effect:\nawait fetch(payload.url);',
  'a comment somewhere above':
    '// outside an effect: rates are read, not changed\nconst { url } = payload;\n\nawait fetch(url);',
};

const ALLOWED: Record<string, string> = {
  perform: "await ctx.effect('send', { perform: async () => fetch(payload.url) });",
  'a method of that name': "await ctx.effect('send', { async perform() { return fetch(payload.url); } });",
  'the question':
    "await ctx.effect('s', { perform: send, alreadyApplied: async () => fetch(payload.url) });\nasync function send() {}",
  'an effect taken from the context':
    "const { effect } = ctx;\nawait effect('send', { perform: async () => fetch(payload.url) });",
  'a function called from effects alone':
    "await ctx.effect('send', { perform: () => send() });\nawait ctx.effect('again', { perform: send });\nasync function send() { return retry(); }\nasync function retry() { return fetch(payload.url); }",
  'a client that is made':
    "import pg from 'pg';\nimport { createClient } from 'redis';\nimport { Redis } from 'ioredis';\n---\nreturn [new pg.Pool(), createClient(), new Redis()];",
  'a comment with a reason':
    '// outside an effect: rates are read, not changed\nconst rates = await fetch(payload.url);\nreturn rates.status;',
  'a reason before a long statement':
    '// outside an effect: rates are read, not changed\nconst rates = await Promise.all([\n  1,\n  fetch(payload.url),\n]);\nreturn rates;',
  'a function of the same name': 'const fetch = async (url) => url;\nawait fetch(payload.url);',
};

let folder: string;
const messages = new Map<string, string[]>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairlane-lint-'));
  const configuration = {
    plugins: [],
    categories: { correctness: 'off' },
    jsPlugins: [join(ROOT, 'scripts/lint/plugin.mjs')],
    rules: { 'fairlane/outside-effects': 'error' },
  };
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(configuration));
  mkdirSync(join(folder, 'src'));
  for (const [index, [what, source]] of Object.entries({ ...REFUSED, ...ALLOWED }).entries()) {
    const [body = '', head = ''] = source.split('\n---\n').toReversed();
    const text = `import { implement } from '@fairlane/sdk';\n${head}\nexport const job = implement(contract, async (payload, ctx) => {\n${body}\n});\n`;
    writeFileSync(join(folder, 'src', `${index}.js`), text);
    messages.set(what, []);
  }
  const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const report = await promisify(execFile)(process.execPath, [oxlint, '--format=json', 'src'], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  const { diagnostics } = JSON.parse(report.stdout) as {
    diagnostics: { message: string; filename: string }[];
  };
  for (const { message, filename } of diagnostics) {
    const what = [...messages.keys()][Number(basename(filename, '.js'))] ?? filename;
    messages.set(what, [...(messages.get(what) ?? []), message]);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a handler that reaches outside without an effect is refused', () => {
  it.each(Object.keys(REFUSED))('%s', (what) => {
    expect(messages.get(what)).toEqual([
      expect.stringMatching(/^\S+ reaches outside without ctx\.effect.*Move it into `perform` of an effect/),
    ]);
  });
});

describe('a handler is let pass that reaches outside', () => {
  it.each(Object.keys(ALLOWED))('in %s', (what) => {
    expect(messages.get(what)).toEqual([]);
  });
});

it('is on for the handlers of the product', async () => {
  const file = join(ROOT, '.oxlintrc.json');
  const { overrides } = (await import(file, { with: { type: 'json' } })) as {
    overrides: { files: string[]; rules: object }[];
  };
  const forHandlers = overrides.find(({ files }) => files.includes('packages/jobs/src/**/handler.ts'));
  expect(forHandlers?.rules).toEqual({ 'fairlane/outside-effects': 'error' });
});
