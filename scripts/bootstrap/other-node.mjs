import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { ROOT, TOOLS_DIR } from './paths.mjs';
import { run } from './run.mjs';
import { Problem, say } from './say.mjs';
import { installTool } from './tools.mjs';

/**
 * The program of a version of Node for this machine, from the npm package `node`, whose install script picks the one
 * for the platform.
 * @param {string} version a major such as `22`, which stands for its newest when it is first asked for, or a whole one
 */
export async function ensureNode(version) {
  if (!/^\d+(\.\d+\.\d+)?$/.test(version))
    throw new Problem(`expected a version of Node such as 22 or 22.12.0, got "${version}"`);
  const folder = join(TOOLS_DIR, `node-${version}`);
  const program = join('node_modules', 'node', 'bin', 'node');
  if (!existsSync(join(folder, program))) {
    say(`fetching Node ${version}`);
    await installTool(folder, `node@${version}`, ['--ignore-scripts=false'], async (draft) => {
      const { output } = await run(join(draft, program), ['--version'], { output: 'capture' });
      return output.startsWith(`v${version}.`) || output.trim() === `v${version}`
        ? undefined
        : 'does not run here';
    });
  }
  return join(folder, program);
}

/**
 * The tests of this clone under another version of Node, their child processes included. Static checks are left out:
 * their answers do not depend on it.
 * @param {string} program what `ensureNode` gave
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
export async function testUnder(program, args) {
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env['PATH'] ?? ''}` };
  const { code } = await run(program, [join(ROOT, 'scripts', 'fairlane.mjs'), 'test:run', ...args], { env });
  return code ?? 1;
}
