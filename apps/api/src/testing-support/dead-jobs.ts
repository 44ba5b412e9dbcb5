import { PermanentError, RetryableError } from '@fairlane/sdk';
import { expect } from 'vitest';
import { message } from './catalogue.js';
import type { ApiUnderTest } from './start-api.js';
import { startWorker } from './start-worker.js';

/** The outside of `message.send`: what it was asked to send, and how it refuses. */
export class Outside {
  readonly sent: string[] = [];
  refusal: Error | undefined;

  static get hangsUp(): Error {
    return new RetryableError({ reason: 'the outside hung up' });
  }

  static get refuses(): Error {
    return new PermanentError({ reason: 'no such lead' });
  }
}

/** A worker whose handler has one effect, `send`, that can be neither asked about nor repeated. */
export async function startSender(
  server: { readonly url: string; readonly prefix: string },
  { ledger }: ApiUnderTest,
  outside: Outside,
) {
  const handler: Parameters<typeof startWorker>[1] = async ({ leadId }, { effect }) =>
    effect('send', {
      perform: async () => {
        outside.sent.push(leadId);
        if (outside.refusal !== undefined) throw outside.refusal;
        return { id: `m-${leadId}` };
      },
    });
  return startWorker(server, handler, { ledger });
}

/** Jobs that died of a refusal of the outside; no worker is left. Ids in the order of the payloads. */
export async function deadJobs(
  server: { readonly url: string; readonly prefix: string },
  api: ApiUnderTest,
  refusal: Error,
  overrides: readonly Record<string, unknown>[] = [{}],
): Promise<string[]> {
  const outside = new Outside();
  outside.refusal = refusal;
  const worker = await startSender(server, api, outside);
  const ids: string[] = [];
  for (const override of overrides) {
    const { json } = await api.call('POST', '/v1/jobs/message.send', { body: message(override) });
    const id = String(json['id']);
    await expect.poll(() => stateOf(api, id)).toBe('dead');
    ids.push(id);
  }
  await worker.close();
  return ids;
}

export async function stateOf(api: ApiUnderTest, id: string): Promise<unknown> {
  return (await api.call('GET', `/v1/jobs/${id}`)).json['state'];
}
