import { codeBlocks, inlineCode } from './pages.mjs';

/** What a line of a page must begin with, after settings of variables, to be taken for a command. */
const PROGRAMS = /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|docker|curl|promtool) /;
const WORD = /(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+/g;

/**
 * @typedef {object} Command
 * @property {string} line as it is written, where lines that go on are joined
 * @property {readonly string[]} words without quotes, settings of variables and comment
 */

/**
 * The commands of a page: every line of its `sh` blocks, and inline code that is one.
 * @param {import('./pages.mjs').Page} page
 * @returns {Command[]}
 */
export function commandsOf(page) {
  const lines = codeBlocks(page, 'sh').flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'));
  return [...lines, ...inlineCode(page).filter((code) => PROGRAMS.test(`${code} `))].flatMap(parse);
}

/** @param {string} line @returns {Command[]} */
function parse(line) {
  return line
    .replace(/(^|\s)#.*$/, '')
    .split(' && ')
    .map((part) => ({
      line: part.trim(),
      words: (part.match(WORD) ?? [])
        .filter((word, at, all) => !isSetting(word) || all.slice(0, at).some((before) => !isSetting(before)))
        .map((word) => word.replace(/^(["'])(.*)\1$/s, '$2')),
    }))
    .filter(({ words }) => words.length > 0);
}

/** @param {string} word */
function isSetting(word) {
  return /^[A-Z_]+=/.test(word);
}
