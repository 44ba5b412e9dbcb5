import { isJobName } from '../../packages/sdk/src/contract/names.js';

/** What is asked about a new job, as it was answered. */
export interface JobAnswers {
  /** `area.action`. */
  readonly name: string;
  readonly queue: string;
  /** Field of the payload that names the customer. */
  readonly account: string;
  /** Fields of the payload that tell two jobs of one account apart. */
  readonly key: readonly string[];
  /** Left out: the group `default`. */
  readonly limitGroup?: string;
}

/** What is there already. */
export interface Declared {
  readonly jobs: readonly string[];
  readonly queues: readonly string[];
  readonly limitGroups: readonly string[];
}

export type Question = keyof JobAnswers;

/** Most fields of a key, as `identify` counts them. */
const MAX_KEY_FIELDS = 16;
const MAX_FIELD_CHARS = 64;
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]*$/;

type Problem = string | undefined;

const CHECKS: Readonly<Record<Question, (answer: string, declared: Declared) => Problem>> = {
  name: (answer, { jobs }) => problemWithName(answer, jobs),
  queue: (answer, { queues }) => problemWithChoice('queue', answer, queues),
  limitGroup: (answer, { limitGroups }) => problemWithChoice('limit group', answer, limitGroups),
  account: problemWithField,
  key: (answer) => problemWithKey(fieldsOf(answer)),
};

/** What is wrong with one answer, in words that say what to do; undefined where nothing is. */
export function problemWith(question: Question, answer: string, declared: Declared): Problem {
  return CHECKS[question](answer, declared);
}

/** `a, b` is two fields. */
export function fieldsOf(answer: string): string[] {
  return answer.split(',').map((field) => field.trim());
}

function problemWithName(name: string, jobs: readonly string[]): Problem {
  // Not narrowed: a name that fails the test is still a text.
  const isOfTheForm: boolean = isJobName(name);
  if (!isOfTheForm) {
    return `"${name}" is no name of a job: it has the form area.action, lower-case words joined by dots, at most 64 characters, as in billing.charge`;
  }
  if (jobs.includes(name)) return `a job ${name} exists already; change it, or take another name`;
  return undefined;
}

function problemWithChoice(what: string, answer: string, declared: readonly string[]): Problem {
  if (declared.includes(answer)) return undefined;
  return `the ${what} "${answer}" is not declared. Declared are ${declared.join(', ')}; packages/jobs/src/queues.ts declares more`;
}

function problemWithField(field: string): Problem {
  if (IDENTIFIER.test(field) && field.length <= MAX_FIELD_CHARS) return undefined;
  return `"${field}" cannot be a field of the payload: it has to be an identifier, a letter and then letters, digits or _, at most ${MAX_FIELD_CHARS} characters, as in invoiceId`;
}

function problemWithKey(fields: readonly string[]): Problem {
  if (fields.length > MAX_KEY_FIELDS)
    return `a key has at most ${MAX_KEY_FIELDS} fields, not ${fields.length}`;
  const twice = fields.find((field, index) => fields.indexOf(field) !== index);
  if (twice !== undefined) return `"${twice}" is in the key twice`;
  return fields.map(problemWithField).find((problem) => problem !== undefined);
}
