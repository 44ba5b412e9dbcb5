import { canInstallDebianPackages, installDebianPackage } from '../bootstrap/debian.mjs';
import { findProgram } from '../bootstrap/programs.mjs';

/**
 * The path of promtool, installed where that asks nothing: as root on Debian. Elsewhere undefined after one line that
 * says so; with `CI=true` that is an error, since a check that could not run has not passed.
 * @returns {Promise<string | undefined>}
 */
export async function ensurePromtool() {
  const found = findProgram('promtool') ?? (await install());
  if (found !== undefined) return found;
  const reason = 'there is no promtool; install Prometheus';
  if (process.env['CI'] === 'true') throw new Error(`the rules of Prometheus cannot be tested: ${reason}`);
  process.stderr.write(`the rules of Prometheus are not tested: ${reason}\n`);
  return undefined;
}

async function install() {
  if (!canInstallDebianPackages()) return undefined;
  try {
    await installDebianPackage('prometheus', 'prometheus');
  } catch (error) {
    process.stderr.write(`apt-get could not install prometheus (${String(error).split('\n', 1)[0]})\n`);
  }
  return findProgram('promtool');
}
