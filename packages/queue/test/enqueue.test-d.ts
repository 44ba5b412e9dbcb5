import { defineJob, implement } from '@fairlane/sdk';
import { z } from 'zod';
import type { EnqueueResult, Producer } from '../src/index.js';

declare const producer: Producer;

const parcelSend = defineJob({
  name: 'parcel.send',
  payload: z.object({ accountId: z.string(), parcel: z.string(), copies: z.number().default(1) }),
  account: (p) => p.accountId,
  key: (p) => [p.parcel],
});

// What must compile.
void producer.enqueue(parcelSend, { accountId: 'acme', parcel: 'p-1' });
void producer.enqueue(parcelSend, { accountId: 'acme', parcel: 'p-1', copies: 2 }, { delayMs: 10 });
void producer.enqueueMany(parcelSend, [{ accountId: 'acme', parcel: 'p-1' }]);

// What must not.
// @ts-expect-error a field of the wrong type
void producer.enqueue(parcelSend, { accountId: 'acme', parcel: 7 });
// @ts-expect-error a missing field
void producer.enqueue(parcelSend, { accountId: 'acme' });
// @ts-expect-error an unknown field
void producer.enqueue(parcelSend, { accountId: 'acme', parcel: 'p-1', weight: 3 });
// @ts-expect-error a wrong field in a batch
void producer.enqueueMany(parcelSend, [{ accountId: 'acme', parcel: 7 }]);
// @ts-expect-error an option that does not exist
void producer.enqueue(parcelSend, { accountId: 'acme', parcel: 'p-1' }, { delay: 10 });

implement(parcelSend, async (payload) => {
  const copies: number = payload.copies;
  // @ts-expect-error the handler's payload has no such field
  return { copies, weight: payload.weight };
});

/** A conflict has no state: the job that holds the key may be of another payload. */
export function stateOf(result: EnqueueResult): string {
  if (result.outcome === 'accepted' || result.outcome === 'duplicate') return result.state;
  // @ts-expect-error no state here
  return result.state;
}
