import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, workspaces } from '../bootstrap/fingerprint.mjs';
import { ROOT } from '../bootstrap/paths.mjs';
import { pathExists, routeExists } from './known.js';
import { codeBlocks, inlineCode, pages, type Page } from './pages.mjs';

const all = pages().map((page) => [page.path, page] as const);

const SOURCE = /\.(?:m?[jt]sx?|lua|ya?ml|json|sh)$|^Dockerfile$/;

/** Sources and settings, as one text to look names up in. */
function sources(): string {
  return workspaces(ROOT)
    .flatMap((folder) => [join(folder, 'src'), join(folder, 'test')])
    .concat([join(ROOT, 'scripts'), join(ROOT, 'deploy')])
    .flatMap((folder) => filesBelow(folder, (name) => SOURCE.test(name)))
    .concat(['Dockerfile', 'docker-compose.yml'].map((name) => join(ROOT, name)))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}
const text = sources();

/** `GET /v1/jobs/{id}` as it is written in running text, several methods of one path too. */
function routesNamed(page: Page): [method: string, path: string][] {
  const written = /^((?:GET|POST|PUT|DELETE)(?:, (?:GET|POST|PUT|DELETE))*) (\/v1\/[^?\s]*)/;
  return inlineCode(page).flatMap((code) => {
    const [, methods = '', path = ''] = written.exec(code) ?? [];
    return methods === '' ? [] : methods.split(', ').map((method): [string, string] => [method, path]);
  });
}

/** Variables of the environment; `$NAME` in a command is one of the reader's shell. */
function variablesNamed(page: Page): string[] {
  const code = [...inlineCode(page), ...codeBlocks(page, 'sh')].join('\n');
  return [...code.matchAll(/(?<![$\w])(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+(?!\w)/g)].map(([name]) => name);
}

/** Read by name, or as one of a family: `CRASH_${...}` of an option's name. */
function isRead(name: string): boolean {
  const [, family = '', rest = ''] = /^([A-Z]+_)(.+)$/.exec(name) ?? [];
  const option = rest.toLowerCase().replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
  return text.includes(name) || (text.includes(`\`${family}\${`) && text.includes(`${option}:`));
}

describe.each(all)('%s', (_path, page) => {
  it('names routes that the API has', () => {
    expect(routesNamed(page).filter((route) => !routeExists(...route))).toEqual([]);
  });

  it('names variables and constants that are read somewhere', () => {
    expect(variablesNamed(page).filter((name) => !isRead(name))).toEqual([]);
  });

  it('names files that are there, or that it shows how to write', () => {
    const files = inlineCode(page).filter((code) =>
      /^(?:packages|apps|docs|deploy|scripts)\/[\w./-]+$/.test(code),
    );
    const isShown = (file: string) => page.text.includes(`\n\`${file}\`\n`);
    expect(files.filter((file) => !pathExists(file) && !isShown(file))).toEqual([]);
  });
});
