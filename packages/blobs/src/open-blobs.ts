import { createBlobs, type Blobs, type BlobsOptions } from './blobs.js';
import { openBlobStore } from './stores/open-blob-store.js';

/**
 * The blobs of a location such as `FAIRLANE_BLOB_STORE` names, checked: a store that cannot be used is noticed at the
 * start of a process and not with the first large payload. Undefined without a location.
 */
export async function openBlobs(
  location: string | undefined,
  options: Omit<BlobsOptions, 'store'>,
): Promise<Blobs | undefined> {
  if (location === undefined) return undefined;
  const blobs = createBlobs({ store: await openBlobStore(location), ...options });
  try {
    await blobs.check();
  } catch (error) {
    await blobs.close();
    throw error;
  }
  return blobs;
}
