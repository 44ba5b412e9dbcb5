import { CLASSIFICATION, FairlaneError, type Classification } from '@fairlane/sdk';

/** What is named is not stored, or no longer. */
export class BlobMissingError extends FairlaneError {
  readonly [CLASSIFICATION]: Classification;

  constructor(source: string) {
    super('blob_missing', `${source} is not stored: it was never uploaded, or nothing needed it any more`);
    this[CLASSIFICATION] = {
      class: 'permanent',
      code: 'target_gone',
      reason: 'The stored file is gone.',
      applied: 'no',
    };
  }
}

/** What is stored has other bytes than were handed in. For a person: reading it again would give them again. */
export class BlobCorruptError extends FairlaneError {
  readonly [CLASSIFICATION]: Classification;

  constructor(source: string, found: string) {
    super('blob_corrupt', `${source} has other bytes than were stored, their sha256 is ${found}`);
    this[CLASSIFICATION] = {
      class: 'permanent',
      code: 'rejected',
      reason: 'The stored file is damaged.',
      applied: 'no',
    };
  }
}

/** More bytes than the caller's bound. */
export class BlobTooLargeError extends FairlaneError {
  constructor(readonly maxBytes: number) {
    super('payload_too_large', `more than ${maxBytes} bytes: hand in less, or split it`);
  }
}

/** The bytes are not those that the caller announced. Nothing of them is kept. */
export class DigestMismatchError extends FairlaneError {
  constructor(expected: string, found: string) {
    super('digest_mismatch', `announced were bytes of sha256 ${expected}, received were bytes of ${found}`);
  }
}

/** A `Content-Digest` header that cannot be checked. */
export class ContentDigestError extends FairlaneError {
  constructor(message: string) {
    super('invalid_digest', `Content-Digest ${message}: send sha-256=:BASE64:`);
  }
}

/** The hold ran out while the bytes were being stored. */
export class HoldLostError extends FairlaneError {
  readonly [CLASSIFICATION]: Classification;

  constructor() {
    super('hold_lost', 'storing took longer than the blob was held for: store it again');
    this[CLASSIFICATION] = {
      class: 'retryable',
      code: 'timeout',
      reason: 'storing the blob took too long',
      applied: 'no',
    };
  }
}

/** The store cannot be used as it is configured. */
export class BlobStoreUnusableError extends FairlaneError {
  constructor(cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super('blob_store_unusable', `the blob store cannot be used, check FAIRLANE_BLOB_STORE: ${what}`, {
      cause,
    });
  }
}
