import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Folders of `src` in the order of the table "Sources". */
function folders(): string[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, table = ''] = readme.split('## Sources\n');
  const cells = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));
  return cells.flatMap((cell) => /^`(\w+)`$/.exec(cell)?.[1] ?? []);
}

const folderOf = (path: string) => path.split('/', 1)[0] ?? '';

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.includes('/') && file.endsWith('.ts') && !file.endsWith('.test.ts'),
);

it('a folder of the sources imports only those further down in the README, which names all of them', () => {
  const order = folders();
  expect(new Set(sources.map(folderOf))).toEqual(new Set(order));
  const upward = sources.flatMap((file) => {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    return [...text.matchAll(/from '(\.{1,2}\/[^']+)'/g)]
      .map(([, path = '']) => normalize(join(dirname(file), path)))
      .filter((target) => target.includes('/') && !target.startsWith('..'))
      .filter((target) => order.indexOf(folderOf(target)) < order.indexOf(folderOf(file)))
      .map((target) => `${file} imports ${target}`);
  });
  expect(upward).toEqual([]);
});
