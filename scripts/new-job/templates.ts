import { urlVariable } from '../../packages/jobs/src/url-jobs.js';
import type { JobNames } from './job-names.js';
import type { JobAnswers } from './job-spec.js';

/** Text of a new job's files by name, not yet formatted. */
export function jobFiles(names: JobNames, answers: JobAnswers): Record<string, string> {
  return {
    'contract.ts': contract(names, answers),
    'handler.ts': handler(names),
    'handler.test.ts': test(names, answers),
  };
}

/** Fields of the payload, the account first. */
function fieldsOf({ account, key }: JobAnswers): string[] {
  return [...new Set([account, ...key])];
}

function contract(names: JobNames, answers: JobAnswers): string {
  const { account, key, queue, limitGroup } = answers;
  const fields = fieldsOf(answers).map(
    (field) => `${field}: z.string().min(1).max(${field === account ? 256 : 512}),`,
  );
  const parts = key.map((field) => `p.${field}`);
  return `import { defineJob } from '@fairlane/sdk';
import { z } from 'zod';

/** Once for each ${key.join(', ')} of an account. */
export const ${names.contract} = defineJob({
  name: '${names.job}',
  payload: z.object({
    ${fields.join('\n')}
  }),
  account: (p) => p.${account},
  key: (p) => ${parts.length === 1 ? parts[0] : `[${parts.join(', ')}]`},
  ${limitGroup === undefined ? '' : `limitGroup: '${limitGroup}',\n  `}queue: '${queue}',
});
`;
}

function handler({ job, contract: name, type, factory, effect }: JobNames): string {
  return `import { httpError, implement } from '@fairlane/sdk';
import { readJsonAnswer } from '../http/read-answer.js';
import { ${name} } from './contract.js';

export interface ${type}Options {
  /** What is called, by POST: \`${urlVariable(job)}\` of the worker's environment. */
  readonly url: string;
  /** Time for one call, answer included. Default 10,000. */
  readonly timeoutMs?: number;
}

/** Who answers, in reasons that people read. */
const FROM = 'the service of ${job}';
/** Longest answer that is kept as the result. */
const MAX_ANSWER_BYTES = 16 * 1024;

/**
 * Work of \`${job}\`: one POST of the payload, whose answer is the result.
 *
 * An unknown outcome, such as a lost answer, is left to a person, since nothing is known of the service. Where it
 * honours idempotency keys, say so with \`repeatable\`; where it can be asked, send it the \`reference\` too and ask with
 * \`alreadyApplied\`. Then such a job goes on by itself.
 */
export function ${factory}({ url, timeoutMs = 10_000 }: ${type}Options) {
  return implement(${name}, async (payload, ctx) =>
    ctx.effect('${effect}', {
      perform: async ({ idempotencyKey, signal }) => {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
          body: JSON.stringify(payload),
          redirect: 'error',
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        });
        if (!response.ok) throw httpError(response, { from: FROM });
        return readJsonAnswer(response, { from: FROM, maxBytes: MAX_ANSWER_BYTES });
      },
      timeoutMs,
    }),
  );
}
`;
}

function test({ job, factory, effect }: JobNames, answers: JobAnswers): string {
  const values = fieldsOf(answers).map(
    (field) => `${field}: '${field === answers.account ? 'acme' : `${field}-1`}'`,
  );
  return `import { createTestJob } from '@fairlane/sdk/testing';
import { useOutside } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { ${factory} } from './handler.js';

const outside = useOutside();
const payload = { ${values.join(', ')} };
const create = () => createTestJob(${factory}({ url: outside.url }), payload);

describe('${job}', () => {
  it('posts its payload under an idempotency key and keeps the answer', async () => {
    outside.answerWith({ status: 201, body: { id: 'a-1' } });
    const job = create();
    expect(await job.run()).toBe('completed');
    expect(job.result).toEqual({ id: 'a-1' });
    expect(outside.calls).toMatchObject([
      {
        method: 'POST',
        headers: { 'idempotency-key': \`\${job.info.key}:${effect}\` },
        body: payload,
      },
    ]);
  });

  it('R2 is not posted again after a crash at the end', async () => {
    const job = create().crashAt('before_finish');
    expect(await job.run()).toBe('completed');
    expect(job.starts).toHaveLength(2);
    expect(outside.calls).toHaveLength(1);
  });

  it('R2 is left to a person when the answer is lost', async () => {
    outside.answerWith({ cut: true });
    const job = create();
    expect(await job.run()).toBe('dead');
    expect(job.deadCode).toBe('unknown_outcome');
    expect(outside.calls).toHaveLength(1);
    job.resolveEffect('${effect}', 'not_applied');
    expect(await job.run()).toBe('completed');
  });

  it('waits without spending an attempt when it is throttled', async () => {
    outside.answerWith({ status: 429, headers: { 'retry-after': '7' } });
    const job = create();
    expect(await job.run()).toBe('completed');
    expect(job).toMatchObject({ delaysMs: [7_000], attempts: { made: 1 } });
  });

  it.each([
    [401, 'unauthorized'],
    [404, 'target_gone'],
    [422, 'rejected'],
  ])('is dead at once on %i, with a code and a reason to show', async (status, code) => {
    outside.answerWith({ status });
    const job = create();
    expect(await job.run()).toBe('dead');
    expect(job).toMatchObject({ deadCode: code, attempts: { made: 1 } });
    expect(job.lastError?.reason).toBe(\`the service of ${job} answered \${status}\`);
  });
});
`;
}
