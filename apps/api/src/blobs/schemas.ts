import { z } from 'zod';

export const blobParams = z.object({
  digest: z.string().max(128).meta({ description: 'sha256 of the bytes, 64 hex digits' }),
});

export const storedBlob = z
  .object({
    source: z.string().meta({ description: 'To be named in payloads' }),
    digest: z.string().meta({ description: 'sha256 of the bytes, 64 hex digits' }),
    bytes: z.int().min(0),
  })
  .meta({ id: 'StoredBlob' });
