const NAME_PART = '[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*';
const JOB_NAME = new RegExp(`^${NAME_PART}(?:\\.${NAME_PART})+$`);
const SIMPLE_NAME = new RegExp(`^${NAME_PART}$`);
const MAX_NAME_CHARS = 64;

/** Names of jobs end up in keys, metrics, folders and URLs, so their form is narrow. */
export function isJobName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= MAX_NAME_CHARS && JOB_NAME.test(name);
}

/** Names of queues and limit groups. */
export function isSimpleName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= MAX_NAME_CHARS && SIMPLE_NAME.test(name);
}
