/** What is stored as a job's data where its payload lies in the blob store. */
export interface ClaimCheck {
  /** Version of the contract that wrote the payload. */
  readonly v: number;
  /** Source of the blob that holds the payload's JSON. */
  readonly blob: string;
  /** Size of the payload. */
  readonly bytes: number;
  /** For which use of the job the blob is held. */
  readonly use: string;
}

export function isClaimCheck(value: unknown): value is ClaimCheck {
  if (typeof value !== 'object' || value === null) return false;
  const { v, blob, use } = value as Partial<ClaimCheck>;
  return Number.isSafeInteger(v) && typeof blob === 'string' && typeof use === 'string';
}
