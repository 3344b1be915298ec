import { err, ok, type ResultAsync } from 'neverthrow';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { AggregateStore } from './aggregate-store.ts';

/** Error: the owner has no aggregate with this id, or its recorded version was erased. */
export interface NotFound<Missing extends string> {
  readonly type: Missing;
  readonly id: string;
}

/** Returns one aggregate of the owner, or the error `missing`. */
export function getAggregate<A, Missing extends string>(
  store: Pick<AggregateStore<A, never, never>, 'load'>,
  owner: Owner,
  id: string | ResourceId,
  missing: Missing,
): ResultAsync<A, NotFound<Missing> | Unavailable> {
  return parseId(id, missing).asyncAndThen((stored) =>
    store
      .load(owner, stored)
      .andThen((found) => (found ? ok(found.aggregate) : err<never, NotFound<Missing>>({ type: missing, id: stored }))),
  );
}
