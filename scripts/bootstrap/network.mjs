import { Problem } from './say.mjs';

const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT/;

/** Without a network the defaults of npm and pnpm take more than a minute to give up. */
export const RETRY_ENV = {
  npm_config_fetch_retries: '2',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '5000',
};

/**
 * @param {string} output what npm or pnpm printed
 * @param {string} logFile
 * @returns {Problem | undefined}
 */
export function networkProblem(output, logFile) {
  const code = UNREACHABLE.exec(output)?.[0];
  if (code === undefined) return undefined;
  return new Problem(
    `the npm registry cannot be reached (${code}). Check the network connection, proxy and the "registry" ` +
      `setting of npm, then run the command again. Details: ${logFile}`,
  );
}
