import { readFileSync } from 'node:fs';

const FOLDER = new URL('../../lua/', import.meta.url);

/** Commands of holds as ioredis takes them; the key count comes first. */
export const scripts: Record<string, { numberOfKeys: number; lua: string }> = {
  fairlaneBlobHold: { numberOfKeys: 2, lua: readLua('hold') },
  fairlaneBlobPublish: { numberOfKeys: 4, lua: readLua('publish') },
  fairlaneBlobRelease: { numberOfKeys: 2, lua: readLua('release') },
  fairlaneBlobSettle: { numberOfKeys: 4, lua: readLua('settle') },
  fairlaneBlobDoomUnknown: { numberOfKeys: 2, lua: readLua('doom-unknown') },
};

type Argument = string | number;

/** What `defineCommand` adds to a client, with the replies named in the headers of the scripts. */
export interface HoldCommands {
  fairlaneBlobHold(holders: string, due: string, ...args: Argument[]): Promise<number>;
  fairlaneBlobPublish(
    holders: string,
    due: string,
    facts: string,
    digest: string,
    ...args: Argument[]
  ): Promise<number>;
  fairlaneBlobRelease(holders: string, due: string, ...args: Argument[]): Promise<number>;
  fairlaneBlobSettle(
    holders: string,
    due: string,
    facts: string,
    doomed: string,
    ...args: Argument[]
  ): Promise<number>;
  fairlaneBlobDoomUnknown(due: string, doomed: string, ...args: Argument[]): Promise<number>;
}

function readLua(name: string): string {
  const text = readFileSync(new URL(`${name}.lua`, FOLDER), 'utf8');
  return text.replaceAll(/^--- @include "([\w-]+)"$/gm, (_line, include: string) =>
    readFileSync(new URL(`includes/${include}.lua`, FOLDER), 'utf8'),
  );
}
