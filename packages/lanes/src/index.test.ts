import { describe, expect, it } from 'vitest';
import * as surface from './index.js';
import * as invariants from './invariants.js';

describe('the public surface', () => {
  it('is what the README names', () => {
    expect(Object.keys(surface).toSorted()).toEqual([
      'HELD_REASONS',
      'HORIZON_DAYS',
      'LANE_ERROR_CODES',
      'LISTED_STATES',
      'LaneBackend',
      'LaneError',
      'Lanes',
      'checkLimits',
      'checkWindows',
      'createBackendFactory',
      'createLaneBackend',
      'createLanes',
      'customScript',
      'laneScript',
      'laneScripts',
      'openIntervals',
      'ownKeyOfBase',
    ]);
  });

  it('has the checks of recorded histories apart', () => {
    expect(Object.keys(invariants).toSorted()).toEqual([
      'checkFairness',
      'checkInFlight',
      'checkRate',
      'checkWindow',
    ]);
  });
});
