import { err, errAsync, ok, type Result, ResultAsync } from 'neverthrow';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { AggregateStore } from './aggregate-store.ts';
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

type Outcome<A, E, Failure> = Result<Written<A, E>, IdTaken | Failure | Unavailable>;

/** The part of a store that an import needs. */
type Store<A, E, Refused> = Pick<AggregateStore<A, E, Refused>, 'commit' | 'commitAll'>;

/**
 * Imports the aggregates that are valid, and returns the outcome of each in their order. `isDryRun` stores nothing.
 *
 * They are stored in one write if none of them conflicts, and one after the other if one does.
 */
export function importAggregates<A extends { readonly id: string }, E, Refused, Invalid>(
  store: Store<A, E, Refused>,
  owner: Owner,
  prepared: readonly Result<Import<A, E, Refused>, Invalid>[],
  isDryRun: boolean,
): ResultAsync<readonly Outcome<A, E, Refused | Invalid>[], never> {
  const imports = prepared.flatMap((each) => (each.isOk() ? [each.value] : []));
  const stored = isDryRun
    ? Promise.resolve(imports.map(({ after }) => ok(written<A, E>(after, null))))
    : importEach(store, owner, imports);
  const merge = async () => {
    const outcomes = (await stored).values();
    return prepared.map((each): Outcome<A, E, Refused | Invalid> => (each.isErr() ? err(each.error) : next(outcomes)));
  };
  return ResultAsync.fromSafePromise(merge());
}

async function importEach<A extends { readonly id: string }, E, Refused>(
  store: Store<A, E, Refused>,
  owner: Owner,
  imports: readonly Import<A, E, Refused>[],
): Promise<readonly Outcome<A, E, Refused>[]> {
  if (imports.length > 1 && store.commitAll) {
    const creates = imports.map(({ after, event }) => ({ kind: 'create', after, event, key: undefined }) as const);
    const areStored = await store.commitAll(owner, creates);
    // A failure is that of each, which is tried alone.
    if (areStored.unwrapOr(false)) return imports.map(({ after, event }) => ok(written(after, event)));
  }
  const outcomes: Outcome<A, E, Refused>[] = [];
  for (const each of imports) outcomes.push(await importAggregate(store, owner, each));
  return outcomes;
}

/** Returns the next element, which must exist. */
function next<T>(elements: Iterator<T, undefined>): T {
  const { value } = elements.next();
  if (value === undefined) throw new Error('an import has no outcome');
  return value;
}

function written<A, E>(aggregate: A, event: E | null, replayed = false): Written<A, E> {
  return { aggregate, event, replayed };
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

/** Returns the outcome of the only import. */
export function onlyOutcome<T, E>(outcomes: readonly Result<T, E>[]): Result<T, E> {
  return next(outcomes.values());
}
