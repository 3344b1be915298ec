import type { FastifyRequest } from 'fastify';
import { ok, type Result } from 'neverthrow';
import type { Awaitable } from '../../awaitable.ts';
import type { CredentialLookups, LookupRejected } from '../rate-limits/credential-lookups.ts';

/** For how long what was found is not looked up again: within this time what changed in the store takes effect. */
const REMEMBERED_MS = 30_000;
/** The most that is remembered. Beyond it what was found first is forgotten. */
const REMEMBERED_MAX = 10_000;

/** Looks credentials up for a request, by their id. */
type Lookup<T, E> = (
  id: string,
  request: Pick<FastifyRequest, 'ip'>,
  lookups: CredentialLookups,
) => Awaitable<Result<T | null, E | LookupRejected>>;

/**
 * Looks up in a store: once in thirty seconds what is there, and each time what is not. Lookups at the same moment share
 * one result of the store. Failures are not cached.
 *
 * `lookups` admits what was never found. What was found goes past it, so that credentials in use are looked up again
 * whatever else comes from their address; there is only so much of it.
 */
export function remembered<T, E>(
  find: (id: string) => PromiseLike<Result<T | null, E>>,
  now: () => Date,
): Lookup<T, E> {
  const known = new Map<string, { readonly found: T; readonly until: number }>();
  const asking = new Map<string, Promise<Result<T | null, E>>>();

  const ask = async (id: string, time: number): Promise<Result<T | null, E>> => {
    const answer = await find(id);
    if (answer.isErr()) return answer;
    known.delete(id);
    if (answer.value === null) return answer;
    const [oldest] = known.keys();
    if (known.size >= REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
    known.set(id, { found: answer.value, until: time + REMEMBERED_MS });
    return answer;
  };

  const look = (id: string): Awaitable<Result<T | null, E>> => {
    const time = now().getTime();
    const recent = known.get(id);
    // What is good for longer than anything can be was found before the clock was set back.
    if (recent && recent.until > time && recent.until <= time + REMEMBERED_MS) return ok(recent.found);
    const answer = asking.get(id) ?? ask(id, time).finally(() => asking.delete(id));
    asking.set(id, answer);
    return answer;
  };

  return (id, request, lookups) => (known.has(id) ? look(id) : lookups.run(request, () => look(id)));
}
