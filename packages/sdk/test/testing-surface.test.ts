import { describe, expect, it } from 'vitest';
import * as testing from '../src/testing/index.js';

describe('@fairlane/sdk/testing', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(testing)).toEqual(['createTestJob']);
  });
});
