import type { DeploymentDescription } from '../deployment/deployment.js';

/** Addresses and credentials, for people. */
export function formatDeployment(description: DeploymentDescription, dir: string): string {
  const { api, board, workers, redisUrl, sandbox, tokens, boardUsers } = description;
  const users = Object.values(boardUsers).map(({ user, password }) => `  ${user.padEnd(10)}${password}`);
  return [
    '',
    `API       ${api}   (documentation ${api}/docs)`,
    `board     ${board}`,
    `sandbox   ${sandbox}   (where outreach.send goes, for the accounts of ${sandbox}/accounts)`,
    `Redis     ${redisUrl}`,
    ...workers.map(({ pid, metrics }) => `worker    process ${pid}, ${metrics}`),
    `logs      ${dir}/logs`,
    '',
    'Tokens of the API (Authorization: Bearer ...)',
    ...Object.entries(tokens).map(([role, token]) => `  ${role.padEnd(10)}${token}`),
    'Users of the board and their passwords',
    ...users,
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}
