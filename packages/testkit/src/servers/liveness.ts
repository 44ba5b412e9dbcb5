import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether a process of that id runs. One that ended counts as gone, whether or not its parent noticed. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, under another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return linuxStat(pid)?.[0] !== 'Z';
}

/** Waits until no process has that id; throws at the deadline. */
export async function untilGone(pid: number, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} still runs after ${timeoutMs} ms`);
    await delay(20);
  }
}

/** Id and start time: the same for as long as it is the same process, since ids are reused. */
export function processIdentity(pid: number): string {
  return `${pid} ${startTime(pid) ?? 'gone'}`;
}

function startTime(pid: number): string | undefined {
  if (process.platform === 'linux') return linuxStat(pid)?.[19];
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** State first, start time at 19. Before them stands a name in brackets that may hold spaces itself. */
function linuxStat(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
  } catch {
    return undefined;
  }
}
