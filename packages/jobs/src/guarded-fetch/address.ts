import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public by their range, and yet a cloud's own service for the machines inside it. */
const INSIDE_SERVICES = new Set([
  // Azure: metadata, DNS and the agent's channel.
  '168.63.129.16',
]);

/** Addresses of IPv6 that are assigned to the internet at all; everything else is special or not yet assigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Why requests on behalf of a customer must not go to an address, or undefined when they may: only unicast addresses
 * of the internet are allowed. Loopback, private, link-local (the metadata services of clouds), carrier-grade NAT,
 * multicast, documentation and reserved ranges are not, nor ranges of IPv6 that stand for addresses of IPv4.
 */
export function forbiddenAddress(text: string): string | undefined {
  // Stricter than ipaddr.js, which takes `1` for an address too.
  if (isIP(text) === 0) return 'is no IP address';
  // An address of IPv4 written as one of IPv6 is reached over IPv4.
  const address = ipaddr.process(text);
  if (INSIDE_SERVICES.has(address.toString())) return 'is a service of the cloud';
  const range = address.range();
  if (range !== 'unicast') return `is ${RANGES.get(range) ?? 'reserved'}`;
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_UNICAST)) return 'is not assigned';
  return undefined;
}

/** Words for a person; a range without one is called reserved. */
const RANGES: ReadonlyMap<string, string> = new Map([
  ['loopback', 'this machine'],
  ['unspecified', 'this machine'],
  ['private', 'in a private network'],
  ['uniqueLocal', 'in a private network'],
  ['linkLocal', 'link-local'],
  ['carrierGradeNat', "in a provider's network"],
  ['multicast', 'multicast'],
  ['broadcast', 'broadcast'],
]);
