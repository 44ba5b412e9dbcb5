import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Hash over names and contents. Contents, since a checkout or a copy changes times without changing
 * anything, and an edit within one tick of the clock does not change them at all.
 * @param {string} root
 * @param {readonly string[]} files
 * @param {readonly string[]} [facts] what else the result depends on
 */
export function fingerprint(root, files, facts = []) {
  const hash = createHash('sha256');
  for (const fact of facts) hash.update(`${fact}\0`);
  for (const file of files.toSorted()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * Folders that hold a package.json: the members of the workspace.
 * @param {string} root
 */
export function workspaces(root) {
  return ['packages', 'apps'].flatMap((group) =>
    entries(join(root, group))
      .filter((entry) => entry.isDirectory() && exists(join(root, group, entry.name, 'package.json')))
      .map((entry) => join(root, group, entry.name)),
  );
}

/**
 * @param {string} folder
 * @param {(name: string) => boolean} accepts
 * @returns {string[]}
 */
export function filesBelow(folder, accepts) {
  return entries(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path, accepts);
    return entry.isFile() && accepts(entry.name) ? [path] : [];
  });
}

/** @param {string} path */
export function readStamp(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Never half-written: a stamp says that everything before it is complete.
 * @param {string} path
 * @param {string} value
 */
export function writeStamp(path, value) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, value);
  renameSync(`${path}.${process.pid}`, path);
}

/** @param {string} path */
export function exists(path) {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} folder */
function entries(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
