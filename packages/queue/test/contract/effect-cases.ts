import {
  httpError,
  RetryableError,
  ThrottledError,
  UnknownOutcomeError,
  type EffectCall,
  type EffectOptions,
  type HandlerContext,
} from '@fairlane/sdk';
import { describe, expect, it } from 'vitest';
import type { ContractJob, Harness } from './harness.js';
import { noteJob } from './note-job.js';

const payload = { accountId: 'acme', note: 'n-1' };
const QUICK = { retry: { attempts: 3, baseMs: 1, capMs: 2 } };

type Answer = unknown;

/** Gives these one after the other; errors are thrown. */
function answering(answers: Answer[], calls: unknown[]) {
  return async ({ idempotencyKey, reference }: EffectCall) => {
    calls.push([idempotencyKey, reference]);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

interface Outside {
  /** Of `perform`. */
  readonly performs: Answer[];
  /** Of `alreadyApplied`; left out: the outside cannot be asked. */
  readonly asks?: Answer[];
  readonly more?: Partial<EffectOptions<unknown>>;
  /** What the handler does with the result. */
  readonly use?: (result: unknown, context: HandlerContext) => unknown;
}

const lost = new RetryableError({ code: 'connection_lost' });

/** Cases of one effect, run by either harness. */
export function describeEffects(harness: Harness): void {
  async function print({ performs, asks, more, use = (result) => result }: Outside) {
    const performed: unknown[] = [];
    const asked: unknown[] = [];
    const implementation = noteJob(async (_payload, context) => {
      const result = await context.effect('print', {
        perform: answering(performs, performed),
        ...(asks === undefined ? {} : { alreadyApplied: answering(asks, asked) }),
        ...more,
      });
      return use(result, context);
    }, QUICK);
    const job: ContractJob = await harness.start(implementation, payload);
    return { job, performed, asked };
  }

  describe('R2 an effect', () => {
    it('is performed once over several attempts, which get its result as it is stored', async () => {
      const results: unknown[] = [];
      const { job, performed } = await print({
        performs: [{ id: 'm-1', at: new Date(0) }],
        use: (result, { attempt }) => {
          results.push(result);
          if (attempt < 3) throw new Error('the tray is full');
        },
      });
      expect(await job.untilEnd()).toMatchObject({ state: 'completed', effects: { print: 'done' } });
      expect(results).toEqual([1, 2, 3].map(() => ({ id: 'm-1', at: '1970-01-01T00:00:00.000Z' })));
      expect(performed).toEqual([[`${job.key}:print`, job.key]]);
    });

    it('that gave nothing gives nothing to later attempts', async () => {
      const { job } = await print({
        performs: [undefined],
        use: (result, { attempt }) => {
          if (attempt === 1) throw new Error('once more');
          return [result === undefined];
        },
      });
      expect((await job.untilEnd()).result).toEqual([true]);
    });

    it.each([
      ['cannot be kept', 12n, 'is no JSON value'],
      ['is too large', 'x'.repeat(40_000), 'is too large to be kept'],
    ])('A24 whose result %s is not repeated for a later attempt', async (_what, result, message) => {
      const { job, performed } = await print({
        performs: [result],
        use: () => {
          throw new Error('once more');
        },
      });
      expect(await job.untilEnd()).toMatchObject({
        state: 'dead',
        code: 'rejected',
        message: `Effect "print" was applied, but its result ${message}.`,
        effects: { print: 'done' },
      });
      expect(performed).toHaveLength(1);
    });

    it('that was certainly not applied is performed again, under the same key', async () => {
      const { job, performed } = await print({
        performs: [new ThrottledError({ retryAfterMs: 5 }), { id: 1 }],
      });
      expect(await job.untilEnd()).toMatchObject({ state: 'completed', attempts: { made: 1 } });
      const call = [`${job.key}:print`, job.key];
      expect(performed).toEqual([call, call]);
    });

    it('that was refused for good is left as not applied', async () => {
      const { job } = await print({ performs: [httpError(new Response(null, { status: 422 }))] });
      expect(await job.untilEnd()).toMatchObject({
        state: 'dead',
        code: 'rejected',
        effects: { print: 'not_applied' },
      });
    });

    it.each([
      ['twice in one attempt', 'print', 'effect "print" was used twice in one attempt'],
      ['without a name', '', "an effect's name has 1 to 128 characters"],
    ])('%s is a bug', async (_what, name, message) => {
      const { job } = await print({
        performs: [{ id: 1 }],
        use: async (_result, { effect }) => effect(name, { perform: async () => 2 }),
      });
      expect(await job.untilEnd()).toMatchObject({ state: 'dead', code: 'rejected', message });
    });

    it('whose call does not heed its signal is given up soon after its time', async () => {
      const { job } = await print({
        performs: [],
        more: { timeoutMs: 50, perform: async () => new Promise(() => undefined) },
      });
      await job.untilState('active');
      await job.letTimePass(50);
      await job.letTimePass(250);
      expect(await job.untilEnd()).toMatchObject({ state: 'dead', code: 'unknown_outcome' });
    });
  });

  describe('R2 an effect with an unknown outcome', () => {
    it('is never performed again where nobody can tell, and a person decides', async () => {
      const { job, performed } = await print({ performs: [lost, { id: 2 }] });
      expect(await job.untilEnd()).toMatchObject({
        state: 'dead',
        code: 'unknown_outcome',
        message: 'It is unknown whether effect "print" was applied.',
        attempts: { made: 1 },
        effects: { print: 'unknown' },
      });
      expect(await job.replay()).toBe(false);
      expect(performed).toHaveLength(1);
    });

    it.each([
      ['not_applied', undefined, { id: 2 }, 2],
      ['applied', 'm-7', { id: 'm-7' }, 1],
      ['applied', undefined, {}, 1],
    ] as const)('goes on as a person says: %s %s', async (outcome, externalId, result, performs) => {
      const { job, performed } = await print({ performs: [lost, { id: 2 }] });
      await job.untilState('dead');
      await job.resolve('print', outcome, externalId);
      expect(await job.untilState('completed')).toMatchObject({ result, attempts: { made: 1 } });
      expect(performed).toHaveLength(performs);
    });

    it('is asked for, and a yes is believed at once', async () => {
      const { job, performed, asked } = await print({ performs: [lost], asks: [{ id: 'm-1' }] });
      expect(await job.untilEnd()).toMatchObject({ result: { id: 'm-1' }, effects: { print: 'done' } });
      expect([performed.length, asked.length]).toEqual([1, 1]);
      expect(asked).toEqual(performed);
    });

    it('is performed again on a no, but only after its time and the settle time', async () => {
      const times = { timeoutMs: 200, settleMs: 100 };
      const { job, performed, asked } = await print({
        performs: [lost, { id: 2 }],
        asks: [undefined],
        more: times,
      });
      expect(await job.untilEnd()).toMatchObject({ result: { id: 2 }, attempts: { made: 2 } });
      expect([performed.length, asked.length]).toEqual([2, 2]);
      // The time of the effect runs on while the job is not waiting but asking, however long that takes.
      expect(job.elapsedMs).toBeGreaterThanOrEqual(300 - 5);
    });

    it('waits without an attempt while the outside cannot tell', async () => {
      const { job, asked } = await print({ performs: [lost], asks: [new RetryableError(), { id: 1 }] });
      expect(await job.untilEnd()).toMatchObject({ state: 'completed', attempts: { made: 2 } });
      expect(asked).toHaveLength(2);
      expect(job.waitsMs[1]).toBeGreaterThanOrEqual(500 - 2);
    });

    it('waits as told when the question is throttled', async () => {
      const throttled = new ThrottledError({ retryAfterMs: 40 });
      const { job, asked } = await print({ performs: [lost], asks: [throttled, { id: 1 }] });
      expect(await job.untilEnd()).toMatchObject({ state: 'completed', attempts: { made: 2 } });
      expect(asked).toHaveLength(2);
    });

    it.each([
      ['never can', new UnknownOutcomeError()],
      ['refuses the question', httpError(new Response(null, { status: 403 }))],
    ])('is left to a person when the outside %s', async (_what, answer) => {
      const { job, performed } = await print({ performs: [lost], asks: [answer] });
      expect(await job.untilEnd()).toMatchObject({
        state: 'dead',
        code: 'unknown_outcome',
        attempts: { made: 2 },
        effects: { print: 'unknown' },
      });
      expect(performed).toHaveLength(1);
    });

    it("is performed again under its key within the key's lifetime, and not after", async () => {
      const more = { timeoutMs: 1_000, repeatable: { keyTtlMs: 60_000 } };
      const { job, performed } = await print({ performs: [lost, { id: 1 }], more });
      expect(await job.untilEnd()).toMatchObject({ state: 'completed', attempts: { made: 2 } });
      const call = [`${job.key}:print`, job.key];
      expect(performed).toEqual([call, call]);
    });

    it("is left to a person after the key's lifetime", async () => {
      const more = { timeoutMs: 1_000, repeatable: { keyTtlMs: 1_000 } };
      const { job, performed } = await print({ performs: [lost, { id: 1 }], more });
      expect(await job.untilEnd()).toMatchObject({
        state: 'dead',
        code: 'unknown_outcome',
        attempts: { made: 2 },
      });
      expect(performed).toHaveLength(1);
    });

    it('stays unknown when a repeat is refused: the call before it may have been applied', async () => {
      const more = { repeatable: { keyTtlMs: 60_000 } };
      const { job } = await print({ performs: [lost, httpError(new Response(null, { status: 422 }))], more });
      expect(await job.untilEnd()).toMatchObject({
        state: 'dead',
        code: 'rejected',
        effects: { print: 'started' },
      });
    });
  });
}
