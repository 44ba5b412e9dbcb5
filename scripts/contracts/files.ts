import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ReleasedContract } from '../../packages/sdk/src/compatibility/index.js';

/** The released versions of every contract: `NAME/vN.json`, and `NAME/samples.json` with payloads written by hand. */
export class ReleasedFiles {
  readonly #root: string;
  readonly #folder: string;

  /** @param root folder of the repository */
  constructor(root: string) {
    this.#root = root;
    this.#folder = join(root, 'packages/jobs/contracts');
  }

  /** Jobs of which a version was released, in the catalogue or not any more. */
  names(): string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder).toSorted() : [];
  }

  /** From the oldest version to the latest. */
  versions(name: string): ReleasedContract[] {
    const folder = join(this.#folder, name);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((file) => /^v\d+\.json$/.test(file))
      .map((file) => readJson(join(folder, file)) as ReleasedContract)
      .toSorted((one, other) => one.version - other.version);
  }

  samplesByHand(name: string): unknown[] {
    const file = join(this.#folder, name, 'samples.json');
    return existsSync(file) ? (readJson(file) as unknown[]) : [];
  }

  /** Path of a version's file from the root. */
  pathOf(name: string, version: number): string {
    return relative(this.#root, join(this.#folder, name, `v${version}.json`));
  }

  /** @param text formatted JSON; replaces an earlier file whole */
  write({ name, version }: Pick<ReleasedContract, 'name' | 'version'>, text: string): void {
    const file = join(this.#root, this.pathOf(name, version));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.draft`, text);
    renameSync(`${file}.draft`, file);
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
