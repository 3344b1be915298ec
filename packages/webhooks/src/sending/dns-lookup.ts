import { Resolver } from 'node:dns/promises';

/** Returns the addresses of a host name, none if it has none or they cannot be known. Stops when `signal` is aborted. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** As {@link Lookup}, with a time limit of its own. */
export type SharedLookup = (hostname: string) => Promise<readonly string[]>;

/** Maximum number of addresses that a host has. */
export const ADDRESSES_MAX = 64;

/** Maximum time to look up the addresses of a host, in milliseconds. Those that are known then are used. */
const LOOKUP_TIMEOUT_MS = 4000;
/** Time for which a name with too many addresses is not looked up again, in milliseconds. */
const TOO_MANY_KEPT_MS = 60_000;

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

/**
 * Returns a lookup that all attempts share. A name is looked up once at a time. One with more than {@link ADDRESSES_MAX}
 * addresses has none, and is looked up once in a minute, because to read 6,300 of them stops the thread for 30 ms.
 *
 * @param timeoutMs the maximum time of a lookup. Default: {@link LOOKUP_TIMEOUT_MS}
 */
export function sharedLookup(lookup: Lookup, timeoutMs = LOOKUP_TIMEOUT_MS): SharedLookup {
  const found = new Map<string, Promise<readonly string[]>>();
  const lookUp = async (hostname: string): Promise<readonly string[]> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    let keptMs = 0;
    try {
      const addresses = await lookup(hostname, late.signal);
      if (addresses.length <= ADDRESSES_MAX) return addresses;
      keptMs = TOO_MANY_KEPT_MS;
      return [];
    } finally {
      clearTimeout(timer);
      const discard = () => found.delete(hostname);
      if (keptMs > 0) setTimeout(discard, keptMs).unref();
      else discard();
    }
  };
  return (hostname) => {
    const running = found.get(hostname) ?? lookUp(hostname);
    found.set(hostname, running);
    return running;
  };
}
