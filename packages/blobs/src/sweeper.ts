import type { BlobStore } from './blob-store.js';
import { ORPHAN_AGE_MS } from './bounds.js';
import type { EndedHold, Holds } from './holds/holds.js';

export interface SweepOptions {
  /**
   * Which of these owners still need their blob. Asked about owners whose hold is over, and believed: an owner that
   * is not answered loses its blob. Rejects where it cannot be told, and nothing is deleted.
   */
  readonly stillNeeded: (owners: readonly string[]) => Promise<Iterable<string>>;
  /** Most blobs looked at. Default 100. */
  readonly limit?: number;
}

export interface SweepReply {
  /** Blobs deleted. */
  readonly deleted: number;
  /** Blobs looked at that somebody still needs. */
  readonly kept: number;
  /** There may be more to do: sweep again. */
  readonly more: boolean;
}

/** Objects asked about in one round trip. */
const ORPHAN_PAGE = 500;

/**
 * Deletes what nobody needs. First a blob is doomed, in one step with the look that nobody holds it: from then on
 * nobody can come to hold it. Then its bytes go, then the note that it is doomed. A sweep that is cut off anywhere is
 * finished by the next one.
 */
export class Sweeper {
  readonly #store: BlobStore;
  readonly #holds: Holds;
  readonly #onError: (error: unknown) => void;

  constructor(deps: { store: BlobStore; holds: Holds; onError: (error: unknown) => void }) {
    this.#store = deps.store;
    this.#holds = deps.holds;
    this.#onError = deps.onError;
  }

  async sweep({ stillNeeded, limit = 100 }: SweepOptions): Promise<SweepReply> {
    const unfinished = await this.#holds.doomed(limit);
    let deleted = await this.#delete(unfinished);

    const due = await this.#holds.due(limit);
    const looks: { id: string; ended: EndedHold[] }[] = [];
    for (const id of due) looks.push({ id, ended: await this.#holds.ended(id) });
    const owners = [...new Set(looks.flatMap(({ ended }) => ended.map(({ owner }) => owner)))];
    const needed = new Set(owners.length === 0 ? [] : await stillNeeded(owners));

    const doomed: string[] = [];
    for (const { id, ended } of looks) {
      if (await this.#holds.settle(id, ended, needed)) doomed.push(id);
    }
    deleted += await this.#delete(doomed);
    const more = unfinished.length === limit || due.length === limit;
    return { deleted, kept: due.length - doomed.length, more };
  }

  async sweepOrphans({ signal }: { readonly signal?: AbortSignal } = {}): Promise<number> {
    // The store's clock and ours may differ by minutes; the age is two days.
    const beforeMs = Date.now() - ORPHAN_AGE_MS;
    await this.#store.removeUnfinished({ beforeMs });
    let deleted = 0;
    let page: string[] = [];
    for await (const { id } of this.#store.list({ beforeMs })) {
      signal?.throwIfAborted();
      page.push(id);
      if (page.length < ORPHAN_PAGE) continue;
      deleted += await this.#deleteUnknown(page);
      page = [];
    }
    return deleted + (await this.#deleteUnknown(page));
  }

  async #deleteUnknown(ids: readonly string[]): Promise<number> {
    const known = await this.#holds.isKnown(ids);
    const doomed: string[] = [];
    for (const [at, id] of ids.entries()) {
      if (known[at] === false && (await this.#holds.doomUnknown(id))) doomed.push(id);
    }
    return this.#delete(doomed);
  }

  /** One that cannot be deleted stays doomed for the next sweep and holds up no other. */
  async #delete(ids: readonly string[]): Promise<number> {
    let deleted = 0;
    for (const id of ids) {
      try {
        await this.#store.delete(id);
        await this.#holds.forget(id);
        deleted += 1;
      } catch (error) {
        this.#onError(error);
      }
    }
    return deleted;
  }
}
