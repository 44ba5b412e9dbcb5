import { Problem } from '../http/problems.js';

/** A job of a queue that was taken out of the catalogue: nobody would run it. */
export function undeclaredQueue(queue: string): Problem {
  return new Problem('undeclared_queue', {
    detail: `The queue ${queue} is not declared any more; declare it again, then repeat this.`,
  });
}
