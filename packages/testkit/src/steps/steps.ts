import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/**
 * The steps to the outside that this process takes, such as commands to Redis and operations on files: counted as they
 * happen, so none can be forgotten. When so many are done, the process kills itself.
 */
export class Steps {
  readonly #killAfter: number | undefined;
  #taken = 0;
  #hasBegun = false;

  /** @param killAfter left out: it is not killed. */
  constructor(killAfter: number | undefined) {
    this.#killAfter = killAfter;
  }

  /** What was done before, such as connecting, is no step. */
  begin(): void {
    this.#hasBegun = true;
  }

  /** Ends the process and tells `runSteps` how many steps it took. */
  end(): never {
    process.stdout.write(`${this.#taken}\n`);
    process.exit(0);
  }

  /** Lets methods of an object count; the kill comes when one is done and before anything learns of it. */
  count(target: unknown, ...names: string[]): void {
    const methods = target as Record<string, (...args: unknown[]) => unknown>;
    for (const name of names) {
      const method = methods[name];
      const done = () => this.#done();
      methods[name] = function (...args) {
        const result = method?.apply(this, args);
        return result instanceof Promise ? result.finally(done) : result;
      };
    }
  }

  /** Lets operations on files count, in whichever module. */
  async countFiles(): Promise<void> {
    const file = await fs.open(process.execPath, 'r');
    this.count(Object.getPrototypeOf(file), 'sync', 'writeFile');
    await file.close();
    this.count(fs, 'mkdir', 'open', 'rename', 'unlink');
    syncBuiltinESMExports();
  }

  #done(): void {
    if (!this.#hasBegun) return;
    this.#taken += 1;
    if (this.#taken === this.#killAfter) process.kill(process.pid, 'SIGKILL');
  }
}
