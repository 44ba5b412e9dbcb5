/** BullMQ reuses a token for the next job of its slot, so a handler is told by both. */
function holderOf(jobId: string, token: string): string {
  return `${token} ${jobId}`;
}

/** The claim that a job was handed out with, from the end of its fields; see `activating.lua`. */
function claimOf(job: unknown): { token: string; fence: string } | undefined {
  if (!Array.isArray(job) || job.at(-2) !== 'lane:claim') {
    return undefined;
  }
  const claim = String(job.at(-1));
  const space = claim.indexOf(' ');
  return { fence: claim.slice(0, space), token: claim.slice(space + 1) };
}

/**
 * The claims that handlers of this process hold. A finish ends its claim by itself; one that is refused, or that throws,
 * does not, and neither does a handler that settles without one.
 */
export class HeldClaims {
  private readonly fences = new Map<string, string>();

  /** @param end ends the claim of a job with this fence, never a newer one. */
  constructor(private readonly end: (jobId: string, fence: string) => Promise<unknown>) {}

  /** @param job the fields of a job that was handed out. */
  note(jobId: string, job: unknown): void {
    const claim = claimOf(job);
    if (claim) {
      this.fences.set(holderOf(jobId, claim.token), claim.fence);
    }
  }

  async release(jobId: string, token: string): Promise<void> {
    const holder = holderOf(jobId, token);
    const fence = this.fences.get(holder);
    if (fence !== undefined) {
      this.fences.delete(holder);
      await this.end(jobId, fence);
    }
  }

  async settle<T>(jobId: string, token: string, finish: () => Promise<T>): Promise<T> {
    try {
      const result = await finish();
      this.fences.delete(holderOf(jobId, token));
      return result;
    } catch (error) {
      // Where Redis is away the audit does it later.
      await this.release(jobId, token).catch(() => undefined);
      throw error;
    }
  }
}
