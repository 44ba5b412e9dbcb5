import { expect, it } from 'vitest';
import { createCredentials } from './credentials.js';

it('R13 a token is named so that "… paused this account" tells who, and reads as no limit', () => {
  const records = JSON.parse(createCredentials().env.FAIRLANE_TOKENS) as { id: string }[];
  expect(records.map(({ id }) => id)).toEqual([
    'api-producer',
    'api-viewer',
    'api-limits',
    'api-operator',
    'board-viewer',
    'board-operator',
  ]);
});
