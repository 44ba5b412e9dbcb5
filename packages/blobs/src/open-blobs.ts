import { within } from '@fairlane/sdk/internal';
import { createBlobs, type Blobs, type BlobsOptions } from './blobs.js';
import { BlobStoreUnusableError } from './errors.js';
import { openBlobStore } from './stores/open-blob-store.js';

/** A disk or bucket that answers nothing is noticed by then: some calls on a hanging mount never return. */
const CHECK_MS = 10_000;

/**
 * The blobs of a location such as `FAIRLANE_BLOB_STORE` names, checked: a store that cannot be used is noticed at the
 * start of a process and not with the first large payload. Undefined without a location.
 *
 * @throws BlobStoreUnusableError when it cannot be written to, or has not answered within `checkMs`, 10,000 by default.
 */
export async function openBlobs(
  location: string | undefined,
  { checkMs = CHECK_MS, ...options }: Omit<BlobsOptions, 'store'> & { readonly checkMs?: number },
): Promise<Blobs | undefined> {
  if (location === undefined) return undefined;
  const store = await openBlobStore(location);
  const blobs = createBlobs({ store, ...options });
  try {
    const late = () => new Error(`it has not answered within ${checkMs} ms`);
    await within(store.check(), checkMs, late).catch((error: unknown) => {
      throw new BlobStoreUnusableError(error);
    });
    await blobs.check();
  } catch (error) {
    await blobs.close();
    throw error;
  }
  return blobs;
}
