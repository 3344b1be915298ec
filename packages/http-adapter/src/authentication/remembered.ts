import { ok, type Result } from 'neverthrow';
import type { Awaitable } from '../awaitable.ts';

/** For how long what was found is not looked up again: within this time what changed in the store takes effect. */
const REMEMBERED_MS = 30_000;
/** The most that is remembered. Beyond it what was found first is forgotten. */
const REMEMBERED_MAX = 10_000;

/**
 * A look-up that asks its store once in thirty seconds for what is there, and each time for what is not. Look-ups at
 * the same moment share one answer of the store. Failures are not remembered.
 */
export function remembered<T, E>(
  find: (id: string) => PromiseLike<Result<T | null, E>>,
  now: () => Date,
): (id: string) => Awaitable<Result<T | null, E>> {
  const known = new Map<string, { readonly found: T; readonly until: number }>();
  const asking = new Map<string, Promise<Result<T | null, E>>>();

  const ask = async (id: string, time: number): Promise<Result<T | null, E>> => {
    const answer = await find(id);
    known.delete(id);
    if (answer.isErr() || answer.value === null) return answer;
    const [oldest] = known.keys();
    if (known.size >= REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
    known.set(id, { found: answer.value, until: time + REMEMBERED_MS });
    return answer;
  };

  return (id) => {
    const time = now().getTime();
    const recent = known.get(id);
    // What is good for longer than anything can be was found before the clock was set back.
    if (recent && recent.until > time && recent.until <= time + REMEMBERED_MS) return ok(recent.found);
    const answer = asking.get(id) ?? ask(id, time).finally(() => asking.delete(id));
    asking.set(id, answer);
    return answer;
  };
}
