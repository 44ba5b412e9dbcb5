import { httpError, type EffectOptions } from '@fairlane/sdk';

/** An effect that counts its calls and ends as told, one entry a call; the last one goes on. */
export function effectOf<T>(
  ends: readonly (() => T | Promise<T>)[],
  options: Partial<EffectOptions<T>> = {},
) {
  let performed = 0;
  return {
    get performed() {
      return performed;
    },
    options: {
      perform: async () => {
        const end = ends[Math.min(performed, ends.length - 1)];
        performed += 1;
        if (end === undefined) throw new Error('no end was given');
        return end();
      },
      ...options,
    } satisfies EffectOptions<T>,
  };
}

export function fails(error: unknown): () => never {
  return () => {
    throw error;
  };
}

export function answers(status: number, options: Parameters<typeof httpError>[1] = {}): Error {
  return httpError(new Response(null, { status }), options);
}
