import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT } from './paths.mjs';

/**
 * Arguments for Node to run a TypeScript program of this repository, which finds the packages in their sources.
 * @param {string} file from the root
 * @param {readonly string[]} args
 */
export function sourceArguments(file, args) {
  const loader = pathToFileURL(join(ROOT, 'node_modules/tsx/dist/loader.mjs')).href;
  return ['--conditions=fairlane-source', '--import', loader, join(ROOT, file), ...args];
}
