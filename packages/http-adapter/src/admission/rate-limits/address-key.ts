import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Maximum length of an address with its zone and port. */
const LENGTH_MAX = 128;

/** An IPv6 address in brackets or an IPv4 address, with an optional port and quotes (RFC 7239 section 6). */
const NODE = /^"?(?:\[([^\]]*)\]|([\d.]+))(?::[\w.-]+)?"?$/;

/** The key of all clients without an address. */
const UNKNOWN = 'unknown';

/** The key of the network that includes all others. */
const ANYWHERE = 'anywhere';

/**
 * Returns the key under which requests of an address are counted. For IPv4 it is the address, for IPv6 its /64, because
 * providers assign at least that to one customer. A port, which is another one for each connection, and a zone do not count.
 * All texts that are not an address have one key, as have connections without an address, such as those of a Unix socket.
 */
export function addressKey(ip: string | undefined): string {
  const text = ip === undefined || ip.length > LENGTH_MAX ? '' : ip;
  const [, bracketed, dotted] = NODE.exec(text) ?? [];
  const [plain = ''] = (bracketed ?? dotted ?? text).split('%', 1);
  if (isIP(plain) === 0) return UNKNOWN;
  const address = ipaddr.process(plain);
  return 'parts' in address ? `${hex(address, 4)}::/64` : address.toString();
}

/** Returns the key of an address, given its {@link addressKey}, among those of owners. No owner has a control character. */
export function keyOfAddress(address: string): string {
  return `\0${address}`;
}

/** Returns the key of the next wider network: for an IPv4 address its /24, then its /16; for a /64 its /48, then its /32. */
export function widerKey(key: string): string {
  // Derived from the text, because parsing it would be the largest cost of a request of a flood.
  if (key.endsWith('::/64')) return `${cutAt(key, ':', 3)}::/48`;
  if (key.endsWith('::/48')) return `${cutAt(key, ':', 2)}::/32`;
  if (/^\d+\.\d+\.\d+\.\d+$/.test(key)) return `${cutAt(key, '.', 3)}.0/24`;
  if (key.endsWith('.0/24')) return `${cutAt(key, '.', 2)}.0.0/16`;
  return ANYWHERE;
}

/** Formats the first groups of an address, without abbreviating zeros. */
function hex({ parts }: ipaddr.IPv6, groups: number): string {
  return parts
    .slice(0, groups)
    .map((part) => part.toString(16))
    .join(':');
}

/** Returns the text before occurrence number `count` of a separator. */
function cutAt(text: string, separator: string, count: number): string {
  let end = -1;
  for (let found = 0; found < count; found += 1) end = text.indexOf(separator, end + 1);
  return text.slice(0, end);
}
