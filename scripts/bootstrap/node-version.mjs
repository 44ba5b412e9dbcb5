// Read by old Node versions: no syntax younger than ES modules here.

/** The same range as "engines" in package.json. */
const OLDEST = [20, 19];

/**
 * @param {string} version such as "20.19.0"
 * @returns {string | undefined} what is wrong with it and what to do
 */
export function problemWithNode(version) {
  const parts = version.split('.').map(Number);
  const tooOld = parts[0] < OLDEST[0] || (parts[0] === OLDEST[0] && parts[1] < OLDEST[1]);
  if (!tooOld) return undefined;
  return (
    'Node ' +
    version +
    ' is too old, ' +
    OLDEST.join('.') +
    ' or newer is needed. ' +
    'Install a current version from your package manager, nvm or https://nodejs.org and run the command again.'
  );
}
