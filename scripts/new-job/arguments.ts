import { parseArgs } from 'node:util';
import type { Question } from './job-spec.js';
import { Refusal } from './refusal.js';

export const USAGE =
  'npm run new:job -- NAME --queue QUEUE --account FIELD --key FIELD[,FIELD...] [--limit-group GROUP]';

/** What each question is called on the command line. */
export const FLAGS: Readonly<Record<Question, string>> = {
  name: 'NAME',
  queue: '--queue',
  account: '--account',
  key: '--key',
  limitGroup: '--limit-group',
};

/** What was given, unchecked. */
export type GivenAnswers = Partial<Record<Question, string>>;

/** @throws Refusal for a flag that does not exist, one without a value, or two names. */
export function readArguments(args: readonly string[]): GivenAnswers | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  if (positionals.length > 1) {
    throw new Refusal(`expected one name, got ${positionals.join(', ')}. Usage: ${USAGE}`);
  }
  const { queue, account, key } = values;
  const given = { name: positionals[0], queue, account, key, limitGroup: values['limit-group'] };
  return Object.fromEntries(Object.entries(given).filter(([, answer]) => answer !== undefined));
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        queue: { type: 'string' },
        account: { type: 'string' },
        key: { type: 'string' },
        'limit-group': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`${reason.replace(/[.\s]*$/, '')}. Usage: ${USAGE}`, { cause: error });
  }
}
