import { EffectMisuseError } from '../errors/errors.js';

/** A handler that makes up names in a loop must not fill the ledger. */
export const MAX_EFFECTS_PER_ATTEMPT = 256;
const MAX_NAME_CHARS = 128;

/** The names that one attempt has used for its effects. */
export class EffectNames {
  readonly #used = new Set<string>();

  /** @throws EffectMisuseError for a name that cannot be one, was used before, or is one too many. */
  take(name: string): void {
    if (name === '' || name.length > MAX_NAME_CHARS) {
      throw new EffectMisuseError(`an effect's name has 1 to ${MAX_NAME_CHARS} characters`);
    }
    if (this.#used.has(name)) throw new EffectMisuseError(`effect "${name}" was used twice in one attempt`);
    if (this.#used.size >= MAX_EFFECTS_PER_ATTEMPT) {
      throw new EffectMisuseError(`an attempt has at most ${MAX_EFFECTS_PER_ATTEMPT} effects`);
    }
    this.#used.add(name);
  }
}
