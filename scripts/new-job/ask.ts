import { createInterface } from 'node:readline';
import type { GivenAnswers } from './arguments.js';
import { FLAGS, USAGE } from './arguments.js';
import { fieldsOf, problemWith, type Declared, type JobAnswers, type Question } from './job-spec.js';
import { Refusal } from './refusal.js';

/** Where a person is asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

const REQUIRED = ['name', 'queue', 'account', 'key'] as const;

/**
 * Everything that has to be known about a new job: what was given, checked, and what a person says about the rest.
 *
 * @param terminal undefined where nobody can be asked
 * @throws Refusal for an answer that was given and will not do, or one that is missing where nobody can be asked.
 */
export async function completeAnswers(
  given: GivenAnswers,
  declared: Declared,
  terminal: Terminal | undefined,
): Promise<JobAnswers> {
  for (const question of [...REQUIRED, 'limitGroup'] as const) {
    const answer = given[question];
    const problem = answer === undefined ? undefined : problemWith(question, answer, declared);
    if (problem !== undefined) throw new Refusal(problem);
  }
  const missing = REQUIRED.filter((question) => given[question] === undefined);
  if (missing.length === 0) return asAnswers(given);
  if (terminal === undefined) {
    const flags = missing.map((question) => FLAGS[question]).join(', ');
    throw new Refusal(`missing: ${flags}, and there is no terminal to ask on. Usage: ${USAGE}`);
  }
  // Who answers questions is asked about all that can be said, also what may be left out.
  const questions: Question[] = given.limitGroup === undefined ? [...missing, 'limitGroup'] : missing;
  return asAnswers({ ...given, ...(await ask(questions, declared, terminal)) });
}

async function ask(
  questions: readonly Question[],
  declared: Declared,
  { input, output }: Terminal,
): Promise<GivenAnswers> {
  // The lines are taken from an iterator, which keeps those that were typed ahead of their question.
  const reader = createInterface({ input });
  const lines = reader[Symbol.asyncIterator]();
  const answers: GivenAnswers = {};
  try {
    for (const question of questions) answers[question] = await askUntilRight(question);
    return answers;
  } finally {
    reader.close();
  }

  async function askUntilRight(question: Question): Promise<string> {
    const { text, byDefault = '' } = wording(question, declared);
    const hint = byDefault === '' ? '' : ` [${byDefault}]`;
    for (;;) {
      output.write(`${text}${hint}: `);
      const { value, done } = await lines.next();
      if (done === true) throw new Refusal('the questions were not answered');
      const answer = value.trim() || byDefault;
      const problem = problemWith(question, answer, declared);
      if (problem === undefined) return answer;
      output.write(`  ${problem}\n`);
    }
  }
}

interface Wording {
  readonly text: string;
  readonly byDefault?: string;
}

function wording(question: Question, { queues, limitGroups }: Declared): Wording {
  const wordings: Record<Question, Wording> = {
    name: { text: 'Name of the job, as in billing.charge' },
    queue: { text: `Queue, one of ${queues.join(', ')}` },
    account: { text: 'Field of the payload that names the customer', byDefault: 'accountId' },
    key: { text: 'Fields that tell two jobs of one customer apart, as in invoiceId,level' },
    limitGroup: { text: `Limit group, one of ${limitGroups.join(', ')}`, byDefault: 'default' },
  };
  return wordings[question];
}

function asAnswers({ name = '', queue = '', account = '', key = '', limitGroup }: GivenAnswers): JobAnswers {
  return {
    name,
    queue,
    account,
    key: fieldsOf(key),
    // The group that a contract has without naming one.
    ...(limitGroup === undefined || limitGroup === 'default' ? {} : { limitGroup }),
  };
}
