import fc from 'fast-check';
import type { Limits } from '../../src/settings/limits.js';

export const ACCOUNTS = ['A', 'B', 'C'];
export const GROUPS = ['default', 'email'];
export const QUEUES = ['one', 'two'];

/** A daily window in minutes from the full minute that a run is about to reach. */
export interface EdgeWindow {
  from: number;
  to: number;
}

export type SettingStep =
  | { do: 'limit'; account: string; group: string; limits: Limits | undefined }
  | { do: 'close'; account: string; group: string; ms: number; until: boolean }
  | { do: 'total'; group: string; limits: Limits | undefined }
  | { do: 'weight'; account: string; weight: number }
  | { do: 'window'; account: string; window: EdgeWindow | undefined }
  | { do: 'pause' | 'resume'; account: string };

/** One step of a run: what lanes and model both do. */
export type Step =
  | SettingStep
  | {
      do: 'add';
      queue: string;
      account: string;
      group: string;
      count: number;
      cost: number;
      priority: number;
    }
  | { do: 'take'; queue: string; count: number }
  | { do: 'complete' | 'fail' | 'retry' | 'giveBack' | 'stall'; pick: number }
  | { do: 'turn'; pick: number; count: number }
  | { do: 'delay'; pick: number; ms: number }
  | { do: 'remove'; pick: number }
  | { do: 'advance'; ms: number }
  | { do: 'audit' };

const account = fc.constantFrom(...ACCOUNTS);
const queue = fc.constantFrom(...QUEUES);
const pick = fc.nat(1_000);
const limits = fc.constantFrom<Limits | undefined>(
  { limit: 1, perMs: 100, burst: 1 },
  { limit: 2, perMs: 100, burst: 5 },
  { limit: 1, perMs: 1_000, burst: 3 },
  { maxInFlight: 1 },
  { maxInFlight: 2, limit: 1, perMs: 50, burst: 4 },
  undefined,
);

/** Of a group over all accounts; the first one lets a job of cost 2 find a single token. */
const totals = fc.constantFrom<Limits | undefined>(
  { limit: 1, perMs: 100, burst: 3 },
  { limit: 4, perMs: 100, burst: 4 },
  { maxInFlight: 2 },
  { maxInFlight: 3, limit: 1, perMs: 50, burst: 2 },
  undefined,
);
const windows = fc.constantFrom<EdgeWindow | undefined>(
  { from: 0, to: 1 },
  { from: -1, to: 0 },
  { from: 1, to: -2 },
  undefined,
);

interface Kind {
  groups: readonly string[];
  costs: readonly number[];
  hasTotals: boolean;
}

const stepOf = ({ groups, costs, hasTotals }: Kind): fc.Arbitrary<Step> => {
  const group = fc.constantFrom(...groups);
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('add' as const),
        queue,
        account,
        group,
        count: fc.integer({ min: 1, max: 4 }),
        cost: fc.constantFrom(...costs),
        priority: fc.constantFrom(0, 0, 0, 1, 2),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('take' as const),
        queue,
        count: fc.integer({ min: 1, max: 6 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'complete' as const,
          'fail' as const,
          'retry' as const,
          'giveBack' as const,
          'stall' as const,
        ),
        pick,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('turn' as const), pick, count: fc.integer({ min: 1, max: 6 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('delay' as const), pick, ms: fc.integer({ min: 1, max: 400 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), pick }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('limit' as const), account, group, limits }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('close' as const),
        account,
        group,
        ms: fc.integer({ min: 1, max: 500 }),
        until: fc.boolean(),
      }),
    },
    {
      weight: hasTotals ? 1 : 0,
      arbitrary: fc.record({ do: fc.constant('total' as const), group, limits: totals }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('weight' as const),
        account,
        weight: fc.constantFrom(0.5, 1, 2, 5),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('window' as const), account, window: windows }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const), account }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 300 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('advance' as const),
        ms: fc.integer({ min: 1_000, max: 70_000 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('audit' as const) }) },
  );
};

/** Any step. */
export const step = stepOf({ groups: GROUPS, costs: [1, 1, 1, 2], hasTotals: true });
/** Steps that leave queues to the short way of admission: one group, no costs, no totals. */
export const plainStep = stepOf({ groups: ['default'], costs: [1], hasTotals: false });
