/**
 * The effects that an attempt has begun and that have not ended. The attempt ends after them: one that the handler did
 * not wait for would otherwise be refused, or its outcome lost to the next attempt, which takes the job over in the
 * ledger.
 */
export class OpenEffects {
  readonly #open = new Set<Promise<unknown>>();

  /** The effect as the handler gets it. One that nobody waits for must not end the process when it fails. */
  track<T>(effect: Promise<T>): Promise<T> {
    this.#open.add(effect);
    const forget = () => void this.#open.delete(effect);
    effect.then(forget, forget);
    return effect;
  }

  /**
   * What the handler returned, once the effects that it left open have ended.
   *
   * @throws what the handler threw, else what the first of those effects failed with: nobody else has seen it.
   */
  async after<T>(handler: Promise<T>): Promise<T> {
    let result: T;
    try {
      result = await handler;
    } catch (error) {
      await this.#ended().catch(() => undefined);
      throw error;
    }
    await this.#ended();
    return result;
  }

  async #ended(): Promise<void> {
    const failures: unknown[] = [];
    // One that ends may be followed by another.
    while (this.#open.size > 0) {
      for (const end of await Promise.allSettled(this.#open)) {
        if (end.status === 'rejected') failures.push(end.reason);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
