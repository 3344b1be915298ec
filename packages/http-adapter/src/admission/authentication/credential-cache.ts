import type { FastifyRequest } from 'fastify';
import { ok, type Result } from 'neverthrow';
import type { Awaitable } from '../../value-or-promise.ts';
import type { CredentialLookups, LookupRejected } from '../rate-limits/credential-lookups.ts';

/** How long a found credential is cached. Changes in the store take effect within this time. */
const CACHED_MS = 30_000;
/** Maximum number of cached credentials. Beyond it the oldest is evicted. */
const CACHED_MAX = 10_000;

/** Looks up credentials for a request, by their id. */
type Lookup<T, E> = (
  id: string,
  request: Pick<FastifyRequest, 'ip'>,
  lookups: CredentialLookups,
) => Awaitable<Result<T | null, E | LookupRejected>>;

/** A lookup whose results are cached. */
interface CachedLookup<T, E> extends Lookup<T, E> {
  /** Lets all credentials be looked up again. */
  readonly expire: () => void;
}

/**
 * Caches found credentials, for 30 seconds by default. Unknown credentials are looked up each time. Concurrent lookups of the same id
 * share one query. Failures are not cached.
 *
 * Only lookups of ids that are not in the cache go through `lookups`. Known ids bypass it, so that credentials in use are
 * refreshed whatever else arrives from their address. The size of the cache bounds them.
 */
export function cachedLookup<T, E>(
  find: (id: string) => PromiseLike<Result<T | null, E>>,
  now: () => Date,
  cachedMs = CACHED_MS,
): CachedLookup<T, E> {
  const known = new Map<string, { readonly found: T; until: number }>();
  const queries = new Map<string, Promise<Result<T | null, E>>>();

  let expiries = 0;

  const query = async (id: string, time: number): Promise<Result<T | null, E>> => {
    const before = expiries;
    const result = await find(id);
    if (result.isErr()) return result;
    known.delete(id);
    if (result.value === null) return result;
    const [oldest] = known.keys();
    if (known.size >= CACHED_MAX && oldest !== undefined) known.delete(oldest);
    known.set(id, { found: result.value, until: before === expiries ? time + cachedMs : 0 });
    return result;
  };

  const lookUp = (id: string): Awaitable<Result<T | null, E>> => {
    const time = now().getTime();
    const recent = known.get(id);
    // An entry that expires later than a new one would was found before the clock was set back.
    if (recent && recent.until > time && recent.until <= time + cachedMs) return ok(recent.found);
    const current = queries.get(id);
    if (current) return current;
    const result = query(id, time).finally(() => {
      if (queries.get(id) === result) queries.delete(id);
    });
    queries.set(id, result);
    return result;
  };

  const lookup: Lookup<T, E> = (id, request, lookups) =>
    known.has(id) ? lookUp(id) : lookups.run(request, () => lookUp(id));
  const expire = () => {
    // What was looked up before may be returned after.
    expiries += 1;
    queries.clear();
    for (const credential of known.values()) credential.until = 0;
  };
  return Object.assign(lookup, { expire });
}
