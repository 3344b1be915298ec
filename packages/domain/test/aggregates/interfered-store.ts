import type { AggregateStore, Unavailable, WritePlan } from '@orders/domain';
import type { InMemoryStore } from '@orders/domain/testing';
import { errAsync, okAsync, type ResultAsync } from 'neverthrow';

/** What happens at a call of a store: before it, after it, or instead of it. */
export type Interference = <T, E>(call: () => ResultAsync<T, E>) => ResultAsync<T, E | Unavailable>;

/** A store whose calls of aggregates are noted, and at which something happens. */
export interface Interfered {
  readonly store: InMemoryStore;
  /** Lets something happen once: at the next call of a method, or at the call with this index since the last taking. */
  readonly at: (call: string | number, interference: Interference) => void;
  /** Lets another write come just before such a call, once. */
  readonly before: (call: string | number, write: () => ResultAsync<unknown, unknown>) => void;
  /** Returns the calls since the last time, such as `load` and `commit change`. */
  readonly takeCalls: () => readonly string[];
}

const LOST: Unavailable = { type: 'unavailable', cause: 'the connection was lost' };
const ENDED = new Error('the program ended');

const lose = () => errAsync(LOST);
const end = () => {
  throw ENDED;
};

/** Every way in which a call fails, with the error or exception that its caller gets. */
export const FAILURES: readonly { readonly failure: Interference; readonly error: unknown }[] = [
  // The call does not reach the store.
  { failure: lose, error: LOST },
  // The store has done what was called, and its response is lost.
  { failure: (call) => call().andThen(lose).orElse(lose), error: LOST },
  // The program ends before the call, or after it.
  { failure: () => okAsync(null).map(end), error: ENDED },
  { failure: (call) => call().map(end).mapErr(end), error: ENDED },
];

/** Returns a store that passes all calls to `real`, unless something is to happen at them. Its aggregates have this plan. */
export function interfere(real: InMemoryStore, plan: WritePlan): Interfered {
  const due: { readonly call: string | number; readonly interference: Interference }[] = [];
  let calls: string[] = [];

  const run = <T, E>(
    method: string,
    detail: string,
    call: () => ResultAsync<T, E>,
  ): ResultAsync<T, E | Unavailable> => {
    const index = due.findIndex((awaited) => awaited.call === method || awaited.call === calls.length);
    calls.push(`${method}${detail}`);
    const [first] = index === -1 ? [] : due.splice(index, 1);
    return first ? first.interference(call) : call();
  };

  const wrap = <A, E, Refused>(store: AggregateStore<A, E, Refused>): AggregateStore<A, E, Refused> => ({
    plan: () => plan,
    load: (owner, id) => run('load', '', () => store.load(owner, id)),
    findRecorded: (owner, key) => run('findRecorded', '', () => store.findRecorded(owner, key)),
    commit: (owner, write) => run('commit', ` ${write.kind}`, () => store.commit(owner, write)),
    commitLocked: (owner, id, lookUp, decide) =>
      run('commitLocked', lookUp ? ' with look-up' : '', () => store.commitLocked(owner, id, lookUp, decide)),
  });

  const orders = { ...real.orders, ...wrap(real.orders) };
  const customers = { ...real.customers, ...wrap(real.customers) };
  const webhookEndpoints = { ...real.webhookEndpoints, ...wrap(real.webhookEndpoints) };
  const at = (call: string | number, interference: Interference) => void due.push({ call, interference });
  return {
    store: { ...real, orders, customers, webhookEndpoints },
    at,
    before: (call, write) => {
      const goOn = () => okAsync(null);
      at(call, (next) => write().andThen(goOn).orElse(goOn).andThen(next));
    },
    takeCalls: () => {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
}
