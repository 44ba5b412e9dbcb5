/** A stored blob as it is named in payloads and answers. */
export interface BlobRef {
  /** `blob:DIGEST.ID`: which bytes, and which stored copy of them. */
  readonly source: string;
  /** sha256 of the bytes, 64 hex digits. */
  readonly digest: string;
  readonly bytes: number;
}

export interface BlobSource {
  readonly digest: string;
  /** Of the stored object; 128 random bits in base64url. */
  readonly id: string;
}

/** The only form of a source that a payload may name: never a URL or a path. */
export const SOURCE_PATTERN = /^blob:([0-9a-f]{64})\.([\w-]{22})$/;

/** Parts of a source, or undefined for anything else. */
export function parseSource(source: string): BlobSource | undefined {
  const [, digest, id] = SOURCE_PATTERN.exec(source) ?? [];
  return digest === undefined || id === undefined ? undefined : { digest, id };
}

export function formatSource({ digest, id }: BlobSource): string {
  return `blob:${digest}.${id}`;
}
