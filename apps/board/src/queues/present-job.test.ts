import { catalogue } from '@fairlane/jobs/contracts';
import { describe, expect, it } from 'vitest';
import type { JobHash } from './job-hash.js';
import { payloadRules } from './payload-rules.js';
import { presentJob } from './present-job.js';

const options = { rules: payloadRules(catalogue), maxShownBytes: 10_000 };

function claimed(bytes: number): JobHash {
  const text = JSON.stringify({ v: 1, blob: 'blob:00.place', bytes, use: 'payload.1' });
  const failure = 'mailbox person7@example.com does not exist';
  return {
    id: 'A1',
    fields: { name: 'outreach.send' },
    texts: {
      data: { text, bytes: text.length },
      failedReason: { text: failure, bytes: failure.length },
    },
  } as JobHash;
}

describe('a payload in the blob store', () => {
  it.each([
    [2_120_000, '2.1 MB'],
    [999_001, '1.0 MB'],
    [70_000, '70 KB'],
  ])('of %i bytes is named by its size and the way to it, not by its claim check', (bytes, size) => {
    const { data } = presentJob(claimed(bytes), { ...options, role: 'operator' });
    expect(data).toEqual({
      inBlobStore: `payload of ${size} in the blob store: GET /v1/jobs/A1/payload`,
    });
  });

  it('is not named to viewers', () => {
    expect(JSON.stringify(presentJob(claimed(2_000_000), { ...options, role: 'viewer' }))).not.toContain(
      'blob',
    );
  });

  it('A32: an error that may quote it is masked, since its secrets are not known here', () => {
    const shown = presentJob(claimed(2_000_000), { ...options, role: 'operator' });
    expect(JSON.stringify(shown)).not.toContain('person7');
  });
});
