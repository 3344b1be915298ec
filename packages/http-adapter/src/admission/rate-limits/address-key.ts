import ipaddr from 'ipaddr.js';

/** The most characters of a text that is no address; the longest address has fewer. */
const LENGTH_MAX = 64;

/** The key of everything that has no wider network. */
const ANYWHERE = 'anywhere';

/**
 * Returns the key that an address is counted under: itself, or its /64 for IPv6, because that is the least that one
 * customer of a network gets. A proxy may pass on a text that is no address: its key is the text, cut to 64 characters.
 */
export function addressKey(ip: string): string {
  if (ip.length > LENGTH_MAX || !ipaddr.isValid(ip)) return ip.slice(0, LENGTH_MAX);
  const address = ipaddr.process(ip);
  return 'parts' in address ? `${hex(address, 4)}::/64` : address.toString();
}

/** Returns the key of the next wider network: of an IPv4 address its /24, then its /16; of a /64 its /48, then its /32. */
export function widerKey(key: string): string {
  // Cut out of the text, because parsing it would be most of what a request of a flood costs.
  if (key.endsWith('::/64')) return `${cutAt(key, ':', 3)}::/48`;
  if (key.endsWith('::/48')) return `${cutAt(key, ':', 2)}::/32`;
  if (/^\d+\.\d+\.\d+\.\d+$/.test(key)) return `${cutAt(key, '.', 3)}.0/24`;
  if (key.endsWith('.0/24')) return `${cutAt(key, '.', 2)}.0.0/16`;
  return ANYWHERE;
}

/** The first groups of an address, without the abbreviation of zeros. */
function hex({ parts }: ipaddr.IPv6, groups: number): string {
  return parts
    .slice(0, groups)
    .map((part) => part.toString(16))
    .join(':');
}

/** What is before separator number `count`. */
function cutAt(text: string, separator: string, count: number): string {
  let end = -1;
  for (let found = 0; found < count; found += 1) end = text.indexOf(separator, end + 1);
  return text.slice(0, end);
}
