import { canInstallDebianPackages, installDebianPackage } from './debian.mjs';
import { findProgram } from './programs.mjs';
import { Problem, say } from './say.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser of the machine; installed where that asks nobody anything. */
export async function findChromium() {
  const found = onPath();
  if (found !== undefined || !canInstallDebianPackages()) return found;
  try {
    await installDebianPackage('chromium');
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(error.message);
  }
  return onPath();
}

function onPath() {
  for (const name of NAMES) {
    const path = findProgram(name);
    if (path !== undefined) return path;
  }
  return undefined;
}
