import { z } from 'zod';
import { findMisspelt } from './misspelt.js';
import { conflicts, variables } from './variables.js';

/** A shape of environment variables: name -> schema that reads the variable's text. */
export type EnvironmentShape = Record<string, z.ZodType>;
export type Environment<S extends EnvironmentShape> = z.output<z.ZodObject<S>>;

/** One or more variables are missing or wrong. The message names them and never repeats a value. */
export class EnvironmentError extends Error {
  readonly code = 'invalid_environment';
  readonly variables: string[];

  constructor(issues: EnvironmentIssue[]) {
    super(issues.map(({ variable, message }) => `${variable}: ${message}`).join('; '));
    this.name = 'EnvironmentError';
    this.variables = [...new Set(issues.map(({ variable }) => variable.split(/[.[]/)[0] ?? variable))];
  }
}

export interface EnvironmentIssue {
  variable: string;
  message: string;
}

/** What is wrong with variables that are right one by one. */
export type EnvironmentCheck<S extends EnvironmentShape> = (env: Environment<S>) => EnvironmentIssue[];

/** Reads the variables of `shape`; throws one {@link EnvironmentError} that lists everything wrong. */
export function parseEnv<S extends EnvironmentShape>(
  shape: S,
  source: Record<string, string | undefined>,
  check: EnvironmentCheck<S> = () => [],
): Environment<S> {
  const present: Record<string, string> = {};
  for (const name of Object.keys(shape)) {
    const value = source[name];
    // Compose files and shells pass an unset variable as an empty one.
    if (value !== undefined && value !== '') present[name] = value;
  }
  const misspelt = findMisspelt(Object.keys(source), [...Object.keys(variables), ...Object.keys(shape)]).map(
    ({ name, meant }) => ({ variable: name, message: `is read by nothing; is it meant to be ${meant}?` }),
  );
  const result = z.object(shape).safeParse(present);
  if (result.success) {
    const issues = [...misspelt, ...conflicts(result.data), ...check(result.data)];
    if (issues.length > 0) throw new EnvironmentError(issues);
    return result.data;
  }
  throw new EnvironmentError([
    ...misspelt,
    ...result.error.issues.map((issue) => ({
      variable: formatPath(issue.path),
      message: present[String(issue.path[0])] === undefined ? 'must be set' : issue.message,
    })),
  ]);
}

/** {@link parseEnv} of the process; a bad value ends the process with one message on stderr. */
export function readEnv<S extends EnvironmentShape>(shape: S, check?: EnvironmentCheck<S>): Environment<S> {
  try {
    return parseEnv(shape, process.env, check);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`Cannot start, the environment is wrong. ${error.message}\n`);
    return process.exit(1);
  }
}

function formatPath(path: PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : index === 0 ? String(part) : `.${String(part)}`,
    )
    .join('');
}
