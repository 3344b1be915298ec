import { errAsync, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import type { Owner } from '../shared/ids.ts';
import type { ImportMode } from '../shared/imported-values.ts';
import type { InternalError, Unavailable } from '../shared/unavailable.ts';
import type { AggregateStore } from './aggregate-store.ts';
import { createTogether, inOrder } from './create-together.ts';
import type { Written } from './write-aggregate.ts';

/** Error: the owner has another resource with this id, or the same one with other content, or it was deleted. */
export interface IdTaken {
  readonly type: 'id_taken';
  readonly id: string;
}

/** An aggregate to import, and how to find out whether it was imported before. */
export interface Import<A, E, Refused> {
  readonly after: A;
  readonly event: E;
  /** Returns the id of the aggregate because of which the store refuses this one; `null` without one. */
  readonly holderOf: (refused: Refused) => string | null;
  /** Returns the aggregate with this id if it has the content of the import, else `null`. */
  readonly findSame: (id: string) => ResultAsync<A | null, Unavailable>;
}

/** The part of a store that an import needs. */
type Store<A, E, Refused> = Pick<AggregateStore<A, E, Refused>, 'commit' | 'commitAll'>;

/**
 * Imports the aggregates that are valid, together if they can be, and returns the outcome of each in their order, up to the
 * first that failed if the import `stopsOnError`. `isDryRun` stores nothing.
 */
export function importAggregates<
  A extends { readonly id: string },
  E,
  Refused extends { readonly type: string },
  Invalid,
>(
  store: Store<A, E, Refused>,
  owner: Owner,
  all: readonly Result<Import<A, E, Refused>, Invalid>[],
  { isDryRun, stopsOnError }: ImportMode,
): ResultAsync<readonly Result<Written<A, E>, IdTaken | Refused | Invalid | InternalError | Unavailable>[], never> {
  const invalid = stopsOnError ? all.findIndex((each) => each.isErr()) : -1;
  const prepared = invalid === -1 ? all : all.slice(0, invalid + 1);
  const creates = prepared.flatMap((each) => {
    if (each.isErr()) return [];
    const { after, event } = each.value;
    const write = { kind: 'create', after, event, key: undefined } as const;
    const alone = (): ResultAsync<Written<A, E>, IdTaken | Refused | Unavailable> =>
      isDryRun
        ? okAsync({ aggregate: after, event: null, replayed: false })
        : importAggregate(store, owner, each.value);
    return [{ write, present: (written: Written<A, E>) => written, alone }];
  });
  const created = createTogether(isDryRun ? {} : store, owner, creates, stopsOnError);
  // Those before the first that failed are valid, so that fewer results are those of the first inputs.
  const end = (count: number) => (count < creates.length ? count : prepared.length);
  return ResultAsync.fromSafePromise(
    created.then((results) => inOrder(prepared.slice(0, end(results.length)), results)),
  );
}

/** Stores an aggregate with an id that the caller chose, or returns the one that an earlier import has stored. */
function importAggregate<A extends { readonly id: string }, E, Refused>(
  store: Pick<AggregateStore<A, E, Refused>, 'commit'>,
  owner: Owner,
  { after, event, holderOf, findSame }: Import<A, E, Refused>,
): ResultAsync<Written<A, E>, IdTaken | Refused | Unavailable> {
  const orSame = (id: string, error: IdTaken | Refused) =>
    findSame(id).andThen((aggregate) =>
      aggregate ? ok({ aggregate, event: null, replayed: true }) : errAsync<never, IdTaken | Refused>(error),
    );
  return store
    .commit(owner, { kind: 'create', after, event, key: undefined })
    .map((): Written<A, E> => ({ aggregate: after, event, replayed: false }))
    .orElse((conflict): ResultAsync<Written<A, E>, IdTaken | Refused | Unavailable> => {
      switch (conflict.type) {
        case 'unavailable':
          return errAsync(conflict);
        case 'id_taken':
          return orSame(after.id, { type: 'id_taken', id: after.id });
        case 'refused': {
          const holder = holderOf(conflict.reason);
          return holder === null
            ? errAsync(conflict.reason)
            : orSame(holder, holder === after.id ? { type: 'id_taken', id: holder } : conflict.reason);
        }
        case 'key_used':
        case 'stale':
          throw new Error(`the store returned ${conflict.type} for a write that cannot cause it`);
      }
    });
}
