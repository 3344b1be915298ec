import { type Awaitable, goOn } from '../../awaitable.ts';
import type { Problem } from '../../problems/problem.ts';
import type { DependableStore } from './dependable-store.ts';
import type { LocalCounter } from './local-counters.ts';
import type { Counted } from './rate-limit-store.ts';

/** The length of every window, in milliseconds. */
export const WINDOW_MS = 60_000;

/** The part of a reply that gets the headers of a limit. */
export interface LimitedReply {
  header(name: string, value: string): unknown;
}

/** One policy, and where its requests are counted. */
interface PolicyStores {
  readonly policy: string;
  /** Requests a window; 0 for any number. */
  readonly quota: number;
  readonly local: LocalCounter;
  /** Where several servers count together. Default: each for itself. */
  readonly shared: DependableStore | undefined;
  readonly exceeded: () => void;
}

/** Counts a request of `who` and writes what is left into the reply (draft-ietf-httpapi-ratelimit-headers-10). */
export function limit({ policy, quota, local, shared, exceeded }: PolicyStores) {
  const header = `"${policy}";q=${quota};w=${WINDOW_MS / 1000}`;

  const check = (reply: LimitedReply, { count, resetMs }: Counted): Problem | undefined => {
    const seconds = Math.max(1, Math.ceil(resetMs / 1000));
    const remaining = Math.max(0, quota - count);
    reply.header('ratelimit-policy', header);
    reply.header('ratelimit', `"${policy}";r=${remaining};t=${seconds}`);
    if (count <= quota) return undefined;
    exceeded();
    return {
      code: 'rate_limited',
      detail: `At most ${quota} such requests a minute are accepted. Try again in ${seconds} s.`,
      headers: { 'retry-after': `${seconds}` },
    };
  };

  const count = (who: string): Awaitable<Counted> => {
    // A client whose requests are used up costs the shared store nothing until its window ends.
    if (!shared || local.current(who) >= quota) return local.count(who);
    return shared.count(`${policy}:${who}`, WINDOW_MS, {
      meanwhile: () => local.count(who),
      counted: (counted) => {
        if (counted.count >= quota) local.record(who, counted);
      },
    });
  };

  return (reply: LimitedReply, who: string): Awaitable<Problem | undefined> =>
    quota === 0 ? undefined : goOn(count(who), (counted) => check(reply, counted));
}
