import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { filesBelow } from '../bootstrap/fingerprint.mjs';
import { ROOT } from '../bootstrap/paths.mjs';

/** @typedef {{ readonly path: string, readonly text: string }} Page `path` from the root of the repository */

/** @param {string} name */
const isPage = (name) => name.endsWith('.md');

/** Every page that people read, but for the changelog, which tells of what was. @returns {Page[]} */
export function pages() {
  const atRoot = readdirSync(ROOT).filter((name) => isPage(name) && name !== 'CHANGELOG.md');
  const readmes = ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(ROOT, group)).flatMap((name) =>
      readdirSync(join(ROOT, group, name))
        .filter(isPage)
        .map((file) => join(ROOT, group, name, file)),
    ),
  );
  const files = [
    ...atRoot.map((name) => join(ROOT, name)),
    ...readmes,
    ...filesBelow(join(ROOT, 'docs'), isPage),
  ];
  return files.map((file) => page(relative(ROOT, file)));
}

/** @param {string} path @returns {Page} */
export function page(path) {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}

/**
 * The code blocks of a page in one language, in order.
 * @param {Page} of
 * @param {string} language
 */
export function codeBlocks({ text }, language) {
  const fence = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm');
  return [...text.matchAll(fence)].map(([, code = '']) => code);
}

/** What stands between backticks in running text. @param {Page} of @returns {string[]} */
export function inlineCode({ text }) {
  const prose = text.replaceAll(/^```[^]*?^```$/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}
