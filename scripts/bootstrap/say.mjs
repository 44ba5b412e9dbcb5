/** A failure that has a name and a remedy: printed as one message, without a stack. */
export class Problem extends Error {}

/**
 * Progress goes to stderr, so that what a command prints on stdout stays its own.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`fairlane: ${line}\n`);
}
