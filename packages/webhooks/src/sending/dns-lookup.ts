import { Resolver } from 'node:dns/promises';
import { AttemptFailure } from './attempt-failure.ts';

/**
 * Returns the addresses of a host name, none if it has none. Stops when `signal` is aborted. Rejects with an
 * {@link AttemptFailure} when it cannot be known.
 */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Time after which a query is sent again, in milliseconds, and the number of queries to each server. */
const QUERY_TIMEOUT_MS = 2000;
const QUERIES_MAX = 2;

/** The name has no address of the family, does not exist, or cannot exist. */
const WITHOUT_ADDRESS = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

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
    try {
      const families = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
      // The addresses that are known suffice: each of them is checked.
      if (addresses.length > 0) return addresses;
      const failure = families.map(failureOf).find((each) => each !== undefined);
      if (failure) throw failure;
      return [];
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

function failureOf(family: PromiseSettledResult<unknown>): AttemptFailure | undefined {
  if (family.status === 'fulfilled') return undefined;
  const cause: unknown = family.reason;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (WITHOUT_ADDRESS.has(code)) return undefined;
  return new AttemptFailure(code === 'ETIMEOUT' ? 'timed_out' : 'connection_failed', { cause });
}
