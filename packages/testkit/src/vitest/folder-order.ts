import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

/**
 * A test that a folder of a package's sources imports only those further down in the table "Sources" of its README,
 * which names all of them. Files outside of folders may import any.
 *
 * @param root folder of the package
 */
export function itKeepsTheOrderOfFolders(root: string): void {
  it('a folder of the sources imports only those further down in the README, which names all of them', () => {
    const order = foldersInOrder(root);
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.includes('/') && file.endsWith('.ts') && !file.endsWith('.test.ts'),
    );
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
}

function foldersInOrder(root: string): string[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, table = ''] = readme.split('## Sources\n');
  const cells = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));
  return cells.flatMap((cell) => /^`(\w+)`$/.exec(cell)?.[1] ?? []);
}

function folderOf(path: string): string {
  return path.split('/', 1)[0] ?? '';
}
