import { parseSource, SOURCE_PATTERN } from '@fairlane/blobs/source';
import { defineJob } from '@fairlane/sdk';
import { z } from 'zod';

/** A CSV that was uploaded: read it whole, keep what is sound and say what is not. */
export const reportImport = defineJob({
  name: 'report.import',
  payload: z
    .object({
      accountId: z.string().min(1).max(256),
      /** Of an upload: a claim check, never a URL or a path. */
      source: z.string().regex(SOURCE_PATTERN, 'must be the source of an upload, as in "blob:..."'),
      /** sha256 of the file, 64 hex digits. */
      digest: z.string().regex(/^[0-9a-f]{64}$/),
    })
    .refine(({ source, digest }) => parseSource(source)?.digest === digest, {
      path: ['digest'],
      message: 'is not the digest of the source',
    }),
  account: (p) => p.accountId,
  key: (p) => p.digest,
  // The same file may be stored once more under another source: its content is what is imported.
  onConflict: 'first',
  queue: 'bulk',
  tag: (p) => p.digest,
  sources: (p) => [p.source],
  timeoutMs: 30 * 60_000,
});
