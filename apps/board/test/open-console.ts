import { createOperations } from '@fairlane/queue';
import { catalogue } from '@fairlane/jobs/contracts';
import { PATIENCE_MS, type RedisInTests } from '@fairlane/testkit/vitest';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { openCampaign, outreachPayload, type Campaign, type OutreachPayload } from './campaign.js';
import { chromiumFlags } from './ensure-chromium.js';
import { serveApi, type ServedApi } from './serve-api.js';
import { passwords, serveBoard, type ServedBoard, type ServeOptions } from './serve-board.js';

/** All of it under one prefix, since the API is a process that takes seconds to start: accounts keep tests apart. */
const prefix = '{console}';

export interface ConsoleInTests {
  /** Of all keys in Redis. */
  readonly prefix: string;
  readonly api: ServedApi;
  readonly board: ServedBoard;
  readonly campaign: Campaign;
  readonly operations: ReturnType<typeof createOperations>;
  serve(deps?: ServeOptions['deps']): Promise<ServedBoard>;
  /** A page of a browser that is signed in, and what that browser complains about. */
  visit(options: VisitOptions): Promise<Visit>;
}

export interface VisitOptions {
  role?: keyof typeof passwords;
  /** Below the console's address. */
  path?: string;
  context?: BrowserContextOptions;
  /** Of another board, or of a proxy in front of one. */
  base?: string;
}

export interface Visit extends AsyncDisposable {
  page: Page;
  /** Violations of the content policy and uncaught errors. */
  complaints: string[];
  requested: string[];
}

/** Call once at the top of a file: one API, one board and one browser for all its tests. */
export function useConsole(
  redis: RedisInTests,
  executablePath: string | undefined,
  apiEnvironment: Readonly<Record<string, string>> = {},
): ConsoleInTests {
  const opened: { api?: ServedApi; board?: ServedBoard; campaign?: Campaign; browser?: Browser } = {};
  let operations: ReturnType<typeof createOperations> | undefined;

  const serve = (deps: ServeOptions['deps'] = {}) =>
    serveBoard({
      redisUrl: redis.url,
      prefix,
      deps: {
        queues: present(opened.campaign).queues,
        apiUrl: present(opened.api).url,
        apiTokens: present(opened.api).tokens,
        ...deps,
      },
    });

  beforeAll(async () => {
    if (executablePath === undefined) return;
    opened.campaign = openCampaign(redis.url, prefix);
    operations = createOperations({ redis: redis.url, prefix, catalogue, timeoutMs: PATIENCE_MS });
    opened.api = await serveApi(redis.url, prefix, apiEnvironment);
    opened.board = await serve();
    opened.browser = await chromium.launch({ executablePath, args: chromiumFlags });
  });
  afterAll(async () => {
    await opened.browser?.close();
    await opened.board?.[Symbol.asyncDispose]();
    await opened.api?.[Symbol.asyncDispose]();
    await operations?.close();
    await opened.campaign?.[Symbol.asyncDispose]();
  });

  return {
    prefix,
    get api() {
      return present(opened.api);
    },
    get board() {
      return present(opened.board);
    },
    get campaign() {
      return present(opened.campaign);
    },
    get operations() {
      return present(operations);
    },
    serve,
    async visit({ role = 'operator', path = '/', context: options = {}, base = present(opened.board).url }) {
      const context = await present(opened.browser).newContext(options);
      const page = await context.newPage();
      const complaints: string[] = [];
      const requested: string[] = [];
      page.on('console', (message) => {
        // Answers with an error status are written there too, and are not what is looked for.
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
          complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => requested.push(request.url()));
      await page.goto(`${base}${path}`);
      await page.getByLabel('User').fill(role);
      await page.getByLabel('Password').fill(passwords[role]);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      return { page, complaints, requested, [Symbol.asyncDispose]: () => context.close() };
    },
  };
}

/** Jobs of one account, ready to run. */
export function payloadsOf(
  account: string,
  count: number,
  fields: Partial<OutreachPayload> = {},
): OutreachPayload[] {
  return Array.from({ length: count }, (_, lead) =>
    outreachPayload(lead, { accountId: account, leadId: `${account}-${lead}`, ...fields }),
  );
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('useConsole() is ready inside tests only');
  return value;
}
