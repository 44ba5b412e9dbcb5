import { ROOT } from '../bootstrap/paths.mjs';
import { run } from '../bootstrap/run.mjs';
import { Problem } from '../bootstrap/say.mjs';

/**
 * Not among the dependencies: it needs the compiler's programming interface, which TypeScript 7 does not have, and
 * nothing else here would use a second compiler.
 */
const TYPEDOC = ['typedoc@0.28.20', 'typescript@6.0.3'];

/** Pages of what `lanes` and `sdk` export, from the docstrings, in `docs/api`. @returns {Promise<number>} exit code */
export async function makeApiDocs() {
  const { ok } = await run('npx', ['--yes', ...TYPEDOC.map((each) => `--package=${each}`), 'typedoc'], {
    cwd: ROOT,
  });
  if (!ok) throw new Problem('the pages were not made; this needs the npm registry');
  return 0;
}
