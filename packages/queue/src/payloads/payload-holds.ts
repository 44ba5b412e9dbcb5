import {
  jobOwner,
  MAX_INLINE_BYTES,
  MAX_PAYLOAD_BYTES,
  PAYLOAD_HOLD_MS,
  type Blobs,
  type HeldBlob,
} from '@fairlane/blobs';
import type { PayloadIssue } from '@fairlane/sdk';
import { UnavailableError } from '../errors.js';
import { describeError, type QueueLogger } from '../logging.js';
import type { ClaimCheck } from './claim-check.js';
import { newUse } from './uses.js';

/** What of a payload concerns the blob store. */
export interface PayloadToHold {
  readonly jobId: string;
  readonly version: number;
  /** The payload as JSON. */
  readonly text: string;
  /** Stored files that it names. */
  readonly sources: readonly string[];
}

/** All that a job needs of the blob store, held for it. Submit it before `heldUntilMs`, or not at all. */
export interface PayloadHold {
  readonly kind: 'hold';
  /** Stored in place of the payload, where that was too large. */
  readonly claim: ClaimCheck | undefined;
  /** On the clock of Redis. */
  readonly heldUntilMs: number;
  /** Gives it back: no job has come of it. */
  release(): Promise<void>;
}

export interface MissingSources {
  readonly kind: 'missing';
  readonly issues: readonly PayloadIssue[];
}

/** Time that storing a payload may take. */
const STORE_TIMEOUT_MS = 20_000;

/** Whether a payload of that size is kept outside of Redis. */
export function isLarge(bytes: number): boolean {
  return bytes > MAX_INLINE_BYTES;
}

/**
 * Holds a payload's blobs for the job that is about to be submitted. The order is what no crash can break: first the
 * hold, then the job; the hold ends by itself when no job comes of it.
 */
export class PayloadHolds {
  readonly #blobs: Blobs;
  readonly #logger: QueueLogger;

  constructor(blobs: Blobs, logger: QueueLogger) {
    this.#blobs = blobs;
    this.#logger = logger;
  }

  /** @throws UnavailableError when the store does not take it; nothing was submitted then. */
  async hold(payload: PayloadToHold): Promise<PayloadHold | MissingSources> {
    const { jobId, sources } = payload;
    const held: { readonly blob: HeldBlob; readonly use: string }[] = [];
    const release = async () => this.#release(jobId, held);
    for (const source of new Set(sources)) {
      const use = newUse('source');
      const request = { owner: jobOwner(jobId, use), holdMs: PAYLOAD_HOLD_MS };
      const blob = await this.#guard(this.#blobs.hold(source, request));
      if (blob === undefined) {
        await release();
        const message = `names ${source}, which is not stored: upload it (again) first`;
        return { kind: 'missing', issues: [{ path: '', message }] };
      }
      held.push({ blob, use });
    }
    let claim: ClaimCheck | undefined;
    if (isLarge(Buffer.byteLength(payload.text))) {
      const use = newUse('payload');
      const blob = await this.#store(payload, use);
      held.push({ blob, use });
      claim = { v: payload.version, blob: blob.source, bytes: blob.bytes, use };
    }
    const heldUntilMs = Math.min(...held.map(({ blob }) => blob.heldUntilMs));
    return { kind: 'hold', claim, heldUntilMs, release };
  }

  async #store({ jobId, text }: PayloadToHold, use: string): Promise<HeldBlob> {
    const request = {
      owner: jobOwner(jobId, use),
      holdMs: PAYLOAD_HOLD_MS,
      maxBytes: MAX_PAYLOAD_BYTES,
      signal: AbortSignal.timeout(STORE_TIMEOUT_MS),
    };
    return this.#guard(this.#blobs.put(Buffer.from(text), request));
  }

  /** Only brings the end of the holds forward, so a failure costs nothing but time. */
  async #release(jobId: string, held: readonly { blob: HeldBlob; use: string }[]): Promise<void> {
    for (const { blob, use } of held) {
      try {
        await this.#guard(this.#blobs.release(blob.source, jobOwner(jobId, use)));
      } catch (error) {
        this.#logger.debug(describeError(error), 'a hold that nobody needs ends later');
        return;
      }
    }
  }

  async #guard<T>(step: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`no answer within ${STORE_TIMEOUT_MS} ms`)),
        STORE_TIMEOUT_MS,
      );
    });
    step.catch(() => undefined);
    try {
      return await Promise.race([step, late]);
    } catch (cause) {
      this.#logger.warn(describeError(cause), 'the blob store did not take a payload');
      throw new UnavailableError('the blob store did not take the payload', { mayHaveRun: false, cause });
    } finally {
      clearTimeout(timer);
    }
  }
}
