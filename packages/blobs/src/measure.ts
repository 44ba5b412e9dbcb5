import { createHash } from 'node:crypto';
import { BlobTooLargeError } from './errors.js';

/** Passes bytes through, counts them and takes their sha256 on the way. */
export class Measure {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** sha256 of what passed, in hex; once, at the end. */
  digest(): string {
    return this.#hash.digest('hex');
  }

  /** @throws BlobTooLargeError as soon as more than `maxBytes` have come. */
  async *through(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of body) {
      this.#bytes += chunk.byteLength;
      if (this.#bytes > maxBytes) throw new BlobTooLargeError(maxBytes);
      this.#hash.update(chunk);
      yield chunk;
    }
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
