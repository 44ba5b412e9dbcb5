// Read by old Node versions: no syntax younger than ES modules here.

/** The same range as "engines" in package.json. */
const OLDEST_MAJOR = 20;
const OLDEST_MINOR = 19;

/**
 * @param {string} version such as "20.19.0"
 * @returns {string | undefined} what is wrong with it and what to do
 */
export function problemWithNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const tooOld = major < OLDEST_MAJOR || (major === OLDEST_MAJOR && minor < OLDEST_MINOR);
  if (!tooOld) return undefined;
  return (
    `Node ${version} is too old, ${OLDEST_MAJOR}.${OLDEST_MINOR} or newer is needed. ` +
    'Install a current version with your package manager, nvm or from https://nodejs.org and run the command again.'
  );
}
