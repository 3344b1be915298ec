import { Resolver } from 'node:dns/promises';

/** Returns the addresses of a host name, none if it has none or they cannot be known. Stops when `signal` is aborted. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Time after which a query is sent again, in milliseconds, and the number of queries to each server. */
const QUERY_TIMEOUT_MS = 2000;
const QUERIES_MAX = 2;

/**
 * Looks up names by DNS alone. The lookup of the operating system occupies one of few threads for as long as the name
 * server of an endpoint is slow. That would delay the lookups of all others.
 *
 * @param servers addresses of name servers. Default: those of the operating system.
 */
export function dnsLookup(servers?: readonly string[]): Lookup {
  return async (hostname, signal) => {
    // One for each lookup, because cancelling ends all queries of a resolver.
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, maxTimeout: QUERY_TIMEOUT_MS, tries: QUERIES_MAX });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel);
    const families = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    signal.removeEventListener('abort', cancel);
    // The addresses that are known suffice: each of them is checked.
    return families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  };
}
