import { UnavailableError } from '../errors.js';
import { isLarge, type PayloadHolds } from '../payloads/payload-holds.js';
import type { EnqueueResult } from './enqueue-result.js';
import type { Refusal, Submission } from './submission.js';

/**
 * What jobs need of the blob store, held before they are sent and given back when no job came of it. A job without
 * stored files and with a small payload passes through.
 */
export class Claims {
  readonly #holds: PayloadHolds | undefined;

  constructor(holds: PayloadHolds | undefined) {
    this.#holds = holds;
  }

  /** Whether it needs anything held. */
  concern(prepared: Submission | Refusal): prepared is Submission {
    if (this.#holds === undefined || prepared.kind === 'refusal') return false;
    return prepared.sources.length > 0 || isLarge(prepared.payloadBytes);
  }

  /** @throws UnavailableError when the store does not take the payload. */
  async hold(submission: Submission): Promise<Submission | Refusal> {
    if (this.#holds === undefined || !this.concern(submission)) return submission;
    const { identity, contract, payload, sources } = submission;
    const { id: jobId } = identity;
    const hold = await this.#holds.hold({ jobId, version: contract.version, text: payload, sources });
    return hold.kind === 'hold'
      ? { ...submission, hold }
      : { kind: 'refusal', code: 'invalid_payload', issues: hold.issues };
  }

  /**
   * Sends a batch with all that it needs held; results in order. What the store does not take is refused alone.
   *
   * @param send sends what is ready; results in order.
   */
  async send(
    batch: readonly Submission[],
    send: (ready: readonly Submission[]) => Promise<readonly EnqueueResult[]>,
  ): Promise<EnqueueResult[]> {
    const held: (Submission | Refusal | EnqueueResult)[] = [];
    for (const one of batch) held.push(await this.#holdOrRefuse(one));
    const ready = held.filter((one) => 'kind' in one && one.kind === 'submission');
    const sent = ready.length === 0 ? [] : await send(ready);
    let next = 0;
    const results = held.map((one) => {
      if ('outcome' in one) return one;
      return one.kind === 'refusal' ? toRefused(one) : (sent[next++] as EnqueueResult);
    });
    for (const [at, one] of held.entries()) {
      if ('kind' in one && one.kind === 'submission') await this.settle(one, results[at] as EnqueueResult);
    }
    return results;
  }

  /** Where it is not known whether there is a job, the sweep finds out when the hold is over. */
  async settle({ hold }: Submission, result: EnqueueResult): Promise<void> {
    const isOpen = result.outcome === 'refused' && result.code === 'unavailable';
    if (result.outcome !== 'accepted' && !isOpen) await hold?.release();
  }

  async #holdOrRefuse(submission: Submission): Promise<Submission | Refusal | EnqueueResult> {
    try {
      return await this.hold(submission);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      return { outcome: 'refused', code: 'unavailable', issues: [] };
    }
  }
}

export function toRefused({ code, issues }: Refusal): EnqueueResult {
  return { outcome: 'refused', code, issues };
}
