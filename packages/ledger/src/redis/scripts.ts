import { readFileSync } from 'node:fs';

const FOLDER = new URL('../../lua/', import.meta.url);

/** Commands of the ledger as ioredis takes them; without `numberOfKeys` the caller gives it first. */
export const scripts: Record<string, { numberOfKeys?: number; lua: string }> = {
  fairlaneLedgerBegin: { numberOfKeys: 2, lua: readLua('begin') },
  fairlaneLedgerWithdraw: { numberOfKeys: 1, lua: readLua('withdraw') },
  fairlaneLedgerRepeat: { numberOfKeys: 1, lua: readLua('repeat') },
  fairlaneLedgerRecord: { numberOfKeys: 1, lua: readLua('record') },
  fairlaneLedgerResolve: { numberOfKeys: 2, lua: readLua('resolve') },
  fairlaneLedgerForget: { numberOfKeys: 2, lua: readLua('forget') },
  fairlaneLedgerUnsettled: { lua: readLua('unsettled') },
};

type Argument = string | number;

/** What `defineCommand` adds to a client, with the replies named in the headers of the scripts. */
export interface LedgerCommands {
  fairlaneLedgerBegin(job: string, touched: string, ...args: Argument[]): Promise<string[]>;
  fairlaneLedgerWithdraw(job: string, ...args: Argument[]): Promise<number>;
  fairlaneLedgerRepeat(job: string, ...args: Argument[]): Promise<number>;
  fairlaneLedgerRecord(job: string, ...args: Argument[]): Promise<number>;
  fairlaneLedgerResolve(job: string, touched: string, ...args: Argument[]): Promise<string>;
  fairlaneLedgerForget(job: string, touched: string, ...args: Argument[]): Promise<number>;
  fairlaneLedgerUnsettled(jobCount: number, ...jobs: string[]): Promise<[at: number, ...states: string[]][]>;
}

function readLua(name: string): string {
  const text = readFileSync(new URL(`${name}.lua`, FOLDER), 'utf8');
  return text.replaceAll(/^--- @include "([\w-]+)"$/gm, (_line, include: string) =>
    readFileSync(new URL(`includes/${include}.lua`, FOLDER), 'utf8'),
  );
}
