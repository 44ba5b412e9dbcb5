import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A source as the repository's formatter writes it. The path says what it is; nothing is read or written there. */
export async function format(root: string, path: string, source: string): Promise<string> {
  const program = join(root, 'node_modules/oxfmt/bin/oxfmt');
  const formatter = spawn(process.execPath, [program, `--stdin-filepath=${path}`], { cwd: root });
  const closed = once(formatter, 'close');
  formatter.stdin.end(source);
  const [formatted, errors] = await Promise.all([text(formatter.stdout), text(formatter.stderr)]);
  const [code] = (await closed) as [number | null];
  if (code !== 0) throw new Error(`oxfmt could not format ${path}: ${errors}`);
  return formatted;
}
