import { err, errAsync, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import type { Owner } from '../shared/ids.ts';
import type { ImportMode } from '../shared/imported-values.ts';
import type { InternalError, Unavailable } from '../shared/unavailable.ts';
import type { AggregateStore, Conflict, CreateOf } from './aggregate-store.ts';
import { caught, commitTogether, inOrder, oneByOne } from './create-together.ts';
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
  /** Returns what to import in place of what the store refuses; `null` for nothing. */
  readonly instead: (refused: Refused) => ResultAsync<A | null, Unavailable>;
  /** Whether an aggregate has the content of the import. */
  readonly isSame: (existing: A) => boolean;
  /** Returns the aggregate with this id as an import may have stored it; `null` if there is none. */
  readonly find: (id: string) => ResultAsync<A | null, Unavailable>;
}

/** Where imports go. */
interface Destination<A, E, Refused> {
  readonly store: Pick<AggregateStore<A, E, Refused>, 'commit' | 'commitAll'>;
  readonly owner: Owner;
  /** Returns aggregates with these ids. It may lack some. */
  readonly findAny: (ids: readonly string[]) => ResultAsync<readonly A[], unknown>;
}

/**
 * Imports the aggregates that are valid, together as far as they can be, and returns the outcome of each in their order, up to
 * the first that failed if the import `stopsOnError`. `isDryRun` stores nothing.
 */
export function importAggregates<
  A extends { readonly id: string },
  E,
  Refused extends { readonly type: string },
  Invalid,
>(
  destination: Destination<A, E, Refused>,
  all: readonly Result<Import<A, E, Refused>, Invalid>[],
  { isDryRun, stopsOnError }: ImportMode,
): ResultAsync<readonly Result<Written<A, E>, IdTaken | Refused | Invalid | InternalError | Unavailable>[], never> {
  const invalid = stopsOnError ? all.findIndex((each) => each.isErr()) : -1;
  const prepared = invalid === -1 ? all : all.slice(0, invalid + 1);
  const imports = prepared.flatMap((each) => (each.isOk() ? [each.value] : []));
  const results = async () => {
    if (isDryRun) return imports.map(({ after }) => ok({ aggregate: after, event: null, replayed: false }));
    return await oneByOne(await attemptsAt(destination, imports, stopsOnError), stopsOnError);
  };
  // Those before the first that failed are valid, so that fewer results are those of the first inputs.
  const end = (count: number) => (count < imports.length ? count : prepared.length);
  return ResultAsync.fromSafePromise(
    results().then((outcomes) => inOrder(prepared.slice(0, end(outcomes.length)), outcomes)),
  );
}

/** Stores imports together as far as the store can, and returns the outcome of each, or how to find it out. */
async function attemptsAt<A extends { readonly id: string }, E, Refused>(
  destination: Destination<A, E, Refused>,
  imports: readonly Import<A, E, Refused>[],
  stopsOnError: boolean,
) {
  type Outcome = Result<Written<A, E>, IdTaken | Refused | Unavailable>;
  const { store, owner, findAny } = destination;
  // Behind one that fails, nothing may be stored.
  const committed = await commitTogether(store, owner, imports.map(writeOf), stopsOnError);
  const holders = imports.flatMap((each, index) => holderOf(each, committed[index]) ?? []);
  const found = holders.length > 1 ? (await findAny([...new Set(holders)])).unwrapOr([]) : [];
  return imports.map((each, index): Outcome | (() => ResultAsync<Written<A, E>, IdTaken | Refused | Unavailable>) => {
    const outcome = committed[index];
    if (!outcome) return () => importAlone(destination, each);
    const holder = holderOf(each, outcome);
    const same = found.find(({ id }) => id === holder);
    if (same && caught(() => ok(each.isSame(same))).unwrapOr(false))
      return ok({ aggregate: same, event: null, replayed: true });
    return () => settle(destination, each, outcome);
  });
}

function writeOf<A, E, Refused>({ after, event }: Import<A, E, Refused>): CreateOf<A, E> {
  return { kind: 'create', after, event, key: undefined };
}

/** Returns the id of the aggregate that an import conflicts with; `null` without one. */
function holderOf<A extends { readonly id: string }, E, Refused>(
  { after, holderOf: holderIn }: Import<A, E, Refused>,
  committed: Result<null, Conflict<A, Refused> | Unavailable> | null | undefined,
): string | null {
  if (!committed?.isErr()) return null;
  const { error } = committed;
  return error.type === 'id_taken' ? after.id : error.type === 'refused' ? holderIn(error.reason) : null;
}

/** Stores an aggregate with an id that the caller chose, or returns the one that an earlier import has stored. */
function importAlone<A extends { readonly id: string }, E, Refused>(
  destination: Pick<Destination<A, E, Refused>, 'store' | 'owner'>,
  each: Import<A, E, Refused>,
): ResultAsync<Written<A, E>, IdTaken | Refused | Unavailable> {
  const { store, owner } = destination;
  const attempt = async () => await settle(destination, each, await store.commit(owner, writeOf(each)));
  return new ResultAsync(attempt());
}

/** Returns the outcome of an import that its store has stored or rejected. */
function settle<A extends { readonly id: string }, E, Refused>(
  destination: Pick<Destination<A, E, Refused>, 'store' | 'owner'>,
  each: Import<A, E, Refused>,
  committed: Result<null, Conflict<A, Refused> | Unavailable>,
): ResultAsync<Written<A, E>, IdTaken | Refused | Unavailable> {
  const { after, event } = each;
  if (committed.isOk()) return okAsync({ aggregate: after, event, replayed: false });
  const { error: conflict } = committed;
  if (conflict.type === 'unavailable') return errAsync(conflict);
  if (conflict.type === 'key_used' || conflict.type === 'stale')
    throw new Error(`the store returned ${conflict.type} for a write that cannot cause it`);
  const holder = holderOf(each, committed);
  const error: IdTaken | Refused =
    conflict.type === 'refused' && holder !== after.id ? conflict.reason : { type: 'id_taken', id: after.id };
  if (conflict.type === 'refused' && holder === null)
    return each
      .instead(conflict.reason)
      .andThen((other) =>
        other
          ? importAlone(destination, { ...each, after: other, instead: () => okAsync(null) })
          : errAsync(conflict.reason),
      );
  if (holder === null) return errAsync(error);
  return each
    .find(holder)
    .andThen((found) =>
      found && each.isSame(found) ? ok({ aggregate: found, event: null, replayed: true }) : err(error),
    );
}
