import ipaddr from 'ipaddr.js';

/** The most characters of what is no address; the longest address has fewer. */
const LENGTH_MAX = 64;

/**
 * What an address is counted under: itself, or its /64 if it is one of IPv6, because that is the least that one
 * customer of a network gets. A proxy may pass on what is no address: that stands for itself.
 */
export function addressKey(ip: string): string {
  if (ip.length > LENGTH_MAX || !ipaddr.isValid(ip)) return ip.slice(0, LENGTH_MAX);
  const address = ipaddr.process(ip);
  if (!('parts' in address)) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
