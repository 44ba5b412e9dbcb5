import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { routes } from '../../apps/api/src/routes.js';
import { workspaces } from '../bootstrap/fingerprint.mjs';
import { ROOT } from '../bootstrap/paths.mjs';

const FOLDERS = [ROOT, ...workspaces(ROOT)];

/** From the root or from a member of the workspace; what is built is there when its source is. */
export function pathExists(path: string): boolean {
  const source = path.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
  return FOLDERS.some((folder) => [path, source].some((each) => existsSync(join(folder, each))));
}

/** Vitest runs the files whose path begins so. */
export function testsExist(filter: string): boolean {
  const folder = join(ROOT, dirname(filter));
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(basename(filter)));
}

/** `{id}` in the path of a page, and a value in its place, both stand for a parameter. */
export function routeExists(method: string, path: string): boolean {
  return routes.some((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return route.method === method.toLowerCase() && pattern.test(path);
  });
}
