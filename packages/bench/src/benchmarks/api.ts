import { scaleOf, type BenchContext, type Benchmark } from '../benchmark.js';
import { withApi } from '../measure/api.js';
import { answerTimesMs, requestsPerSecond } from '../measure/http-load.js';
import { medianRatio } from '../measure/pairs.js';
import { inRun } from '../measure/run.js';
import { percentile, rounded } from '../measure/statistics.js';

const QUEUE = 'outreach';
const PER_SECOND = 300;
/** Compiled code, open connections: not what a running service waits for. */
const WARM_UP_SECONDS = 3;

/** What it takes to hand in a job over HTTP: at a steady rate, and against the API one would write oneself. */
export const api: Benchmark = {
  names: ['api_enqueue_ms_p99', 'api_vs_bare_express'],
  async run(context, wanted) {
    const results: Record<string, number> = {};
    if (wanted.has('api_enqueue_ms_p99')) results['api_enqueue_ms_p99'] = await enqueueP99Ms(context);
    if (wanted.has('api_vs_bare_express')) results['api_vs_bare_express'] = await vsExpress(context);
    return results;
  },
};

/** 300 requests a second, while a worker takes the jobs. */
async function enqueueP99Ms(context: BenchContext): Promise<number> {
  const timesMs = await inRun({}, async (run) => {
    const worker = await run.start('observe', {
      adapter: 'product',
      queue: QUEUE,
      concurrency: 10,
      handlerMs: 5,
    });
    worker.send('go');
    return withApi(run.port, async (target) => {
      const seconds = WARM_UP_SECONDS + (context.quick ? 3 : 30);
      const all = await answerTimesMs(target, { perSecond: PER_SECOND, seconds });
      return all.slice(WARM_UP_SECONDS * PER_SECOND);
    });
  });
  context.say(
    `p50 ${percentile(timesMs, 50).toFixed(2)} ms, worst ${percentile(timesMs, 100).toFixed(2)} ms`,
  );
  return rounded(percentile(timesMs, 99));
}

/** Requests a second, flat out. */
async function vsExpress(context: BenchContext): Promise<number> {
  const load = { warmUpSeconds: context.quick ? 1 : WARM_UP_SECONDS, seconds: context.quick ? 2 : 8 };
  return medianRatio(
    { pairs: scaleOf(context).pairs, sides: ['API', 'bare Express'], say: context.say },
    () =>
      inRun({}, async (run) =>
        withApi(run.port, async (target) => ({ value: await requestsPerSecond(target, load) })),
      ),
    () =>
      inRun({}, async (run) => {
        const server = await run.start('express-app', { queue: QUEUE });
        const rate = await requestsPerSecond(await server.result, load);
        server.send('stop');
        return { value: rate };
      }),
  );
}
