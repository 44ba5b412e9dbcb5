import { createEffectRunner, type EffectLedger } from '@fairlane/ledger';
import { createConsumer, type Consumer, type ConsumerHooks } from '@fairlane/queue';
import { createLogger } from '@fairlane/runtime';
import { implement, type HandlerContext } from '@fairlane/sdk';
import { onTestFinished } from 'vitest';
import { catalogue, messageSend } from './catalogue.js';

export type Handler = (
  payload: { leadId: string; accountId: string; body: string },
  context: HandlerContext,
) => unknown;

/**
 * A real worker of the queue `outreach` that runs `handler` for every `message.send`, until the test ends. Without one
 * it takes jobs all the same, as a worker of an older version does.
 */
export async function startWorker(
  { url, prefix }: { readonly url: string; readonly prefix: string },
  handler: Handler | undefined,
  {
    slots = 10,
    ledger,
    ...timing
  }: {
    readonly slots?: number;
    readonly ledger?: EffectLedger;
    readonly leaseMs?: number;
    readonly beatEveryMs?: number;
    readonly hooks?: ConsumerHooks;
  } = {},
): Promise<Consumer> {
  const consumer = createConsumer({
    redis: url,
    prefix,
    catalogue,
    implementations:
      handler === undefined
        ? []
        : [implement(messageSend, async (payload, context) => handler(payload, context))],
    queues: { outreach: { slots } },
    graceMs: 100,
    ...timing,
    ...(ledger === undefined ? {} : { effects: createEffectRunner({ ledger }) }),
    logger: createLogger({ app: 'test-worker', level: 'silent' }),
  });
  await consumer.start();
  onTestFinished(() => consumer.close());
  return consumer;
}

/** A handler that waits until it is let go or its job is cancelled. */
export function gatedHandler() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const started = new Set<string>();
  const handler: Handler = async ({ leadId }, { signal }) => {
    started.add(leadId);
    await Promise.race([
      opened,
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    ]);
  };
  return { handler, open, started };
}
