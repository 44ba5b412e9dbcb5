import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { forbiddenAddress } from './address.js';
import { ForbiddenTargetError } from './errors.js';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

export interface TargetRules {
  /** Whether addresses inside the own network are fine: for tests and installations without outside customers. */
  readonly allowPrivate: boolean;
  /** Default: the resolver of the operating system. */
  readonly resolve?: Resolve;
}

/** A URL with the addresses it was found to have; a request goes to one of them and asks nobody again. */
export interface Target {
  readonly url: URL;
  readonly addresses: readonly Address[];
}

/** Longest URL that is taken. */
export const MAX_URL_CHARS = 2_048;
/** Most addresses of one name that are looked at. */
const MAX_ADDRESSES = 32;

/**
 * Finds out where a URL leads.
 *
 * A name counts as forbidden when any of its addresses is: which one a connection takes would be chance. Spellings
 * such as `http://0x7f.1/` or `http://2130706433/` are read by the URL parser as what they mean.
 *
 * @throws ForbiddenTargetError where it must not lead; an error of the resolver when the name is not found.
 */
export async function findTarget(
  text: string,
  { allowPrivate, resolve = system }: TargetRules,
): Promise<Target> {
  const url = readUrl(text);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = literal(hostname) ?? (await resolve(hostname)).slice(0, MAX_ADDRESSES);
  if (addresses.length === 0) throw new ForbiddenTargetError(`${url.host} has no address`);
  if (allowPrivate) return { url, addresses };
  for (const { address } of addresses) {
    const problem = forbiddenAddress(address);
    if (problem !== undefined) {
      const host = hostname === address ? hostname : `${hostname} leads to ${address}, which`;
      throw new ForbiddenTargetError(`The target must be a public address: ${host} ${problem}.`);
    }
  }
  return { url, addresses };
}

function readUrl(text: string): URL {
  if (text.length > MAX_URL_CHARS || !URL.canParse(text)) {
    throw new ForbiddenTargetError('The target is not a URL.');
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ForbiddenTargetError('The target must begin with https:// or http://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ForbiddenTargetError('The target must not hold a user name or a password.');
  }
  return url;
}

function literal(hostname: string): Address[] | undefined {
  const family = isIP(hostname);
  return family === 0 ? undefined : [{ address: hostname, family: family === 6 ? 6 : 4 }];
}

async function system(hostname: string): Promise<Address[]> {
  const found = await lookup(hostname, { all: true, order: 'verbatim' });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
