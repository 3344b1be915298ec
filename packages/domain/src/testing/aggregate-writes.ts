import { ok, type Result, type ResultAsync } from 'neverthrow';
import type { AggregateStore } from '../aggregates/aggregate-store.ts';
import type { NotFound } from '../aggregates/get-aggregate.ts';
import {
  changeAggregate,
  createAggregate,
  type Decision,
  deleteAggregate,
  type Written,
} from '../aggregates/write-aggregate.ts';
import type { Idempotency, KeyReused } from '../shared/idempotency.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';

/** What a write may fail with, besides the reasons of its store. */
type Failed<Refused> = Refused | NotFound<'not_found'> | KeyReused | Unavailable;

/** Creates an aggregate, with the steps of the domain. */
export function create<A, E, Refused>(
  store: AggregateStore<A, E, Refused>,
  owner: Owner,
  after: A,
  event: E,
  key?: Idempotency,
): ResultAsync<Written<A, E>, Failed<Refused>> {
  return createAggregate({ store, owner, key, missing: 'not_found' }, { after, event });
}

/** Changes an aggregate as `decide` says, with the steps of the domain. */
export function change<A, E, Refused>(
  store: AggregateStore<A, E, Refused>,
  owner: Owner,
  id: string,
  decide: (before: A) => Decision<A, E>,
  key?: Idempotency,
): ResultAsync<Written<A, E>, Failed<Refused>> {
  const decided = (before: A): Result<Decision<A, E>, never> => ok(decide(before));
  return changeAggregate({ store, owner, key, missing: 'not_found' }, id, decided);
}

/** Deletes an aggregate with the event that `decide` returns, with the steps of the domain. */
export function remove<A, E, Refused>(
  store: AggregateStore<A, E, Refused>,
  owner: Owner,
  id: string,
  decide: (before: A) => E,
  key?: Idempotency,
): ResultAsync<Pick<Written<A, E>, 'event' | 'replayed'>, Failed<Refused>> {
  return deleteAggregate({ store, owner, key, missing: 'not_found' }, id, (before: A): Result<E, never> =>
    ok(decide(before)),
  );
}
