import { catalogue } from '@fairlane/jobs/contracts';
import { DEAD_CODES, ERROR_CLASSES, ERROR_CODES, HELD_REASONS } from '@fairlane/sdk';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { expect, test } from 'vitest';
import { buildDocument } from '../../api/src/openapi/build-document.js';
import { routes } from '../../api/src/routes.js';
import { classWord, codeWord, reasonWord } from '../../../packages/console/src/format/words.js';

/** What the console reads and sends, each with all it refers to. */
const read = [
  'Account',
  'AccountList',
  'BulkReplayPreview',
  'BulkReplayStarted',
  'DeadLetterCodes',
  'DeadLetterList',
  'JobList',
  'LimitsInput',
  'OperationList',
  'QueueList',
  'QueueSeries',
  'WorkerList',
];

const banner = `/**
 * Generated from the API's OpenAPI document; a test compares. After a change of the API's schemas:
 * npx vitest run apps/board/test/console-types.test.ts -u
 */`;

test('the console reads what the API says it answers: its types are those of the OpenAPI document', async () => {
  const { components } = buildDocument(routes, catalogue);
  const all = JSON.parse(
    JSON.stringify(components?.schemas).replaceAll('#/components/schemas/', '#/definitions/'),
  ) as Record<string, JSONSchema>;
  const definitions = Object.fromEntries(reachable(all).map((name) => [name, all[name] ?? {}]));
  const types = await compile({ type: 'object', definitions }, 'Unused', {
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    bannerComment: banner,
    style: { printWidth: 110, singleQuote: true },
    unreachableDefinitions: true,
  });
  await expect(withoutReferrers(types)).toMatchFileSnapshot('../../../packages/console/src/api/generated.ts');
});

test('whatever code a job has waited, failed or died with, people read words', () => {
  const bare = [
    ...[...DEAD_CODES, ...ERROR_CODES].filter((code) => isBare(codeWord(code), code)),
    ...HELD_REASONS.filter((reason) => isBare(reasonWord(reason).word, reason)),
    ...ERROR_CLASSES.filter((each) => classWord(each) === each),
  ];
  expect(bare).toEqual([]);
});

/** `rejected` is a word, `target_gone` is none. */
function isBare(word: string, code: string): boolean {
  return word === code && code.includes('_');
}

function reachable(all: Record<string, JSONSchema>): string[] {
  const names = new Set(read);
  for (const name of names) {
    const text = JSON.stringify(all[name] ?? {});
    for (const [, other] of text.matchAll(/"#\/definitions\/(\w+)"/g)) names.add(other ?? '');
  }
  return [...names].toSorted();
}

/** Who refers to a type is no news to who reads it, and the schema around them all is none. */
function withoutReferrers(types: string): string {
  return types
    .replaceAll(/^\/\*\*\n( \* .*\n \*\n)? \* This interface was referenced by .*\n \* via .*\n \*\/\n/gm, '')
    .replace('export interface Unused {}\n', '');
}
