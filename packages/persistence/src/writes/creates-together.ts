import type { Conflict, CreateOf, Unavailable } from '@orders/domain';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { WriteValues } from './write-functions.ts';

/** A create, and the values of its row and records. */
export interface Creation<A, E> {
  readonly write: CreateOf<A, E>;
  readonly values: WriteValues;
}

/** Why a create conflicts, `null` if it does not, and `unclear` if only an attempt can decide. */
export type Rejection<A, Refused> = Conflict<A, Refused> | 'unclear' | null;

/** What creates are stored by. */
interface Storing<A, E, Refused> {
  /** The column that is unique among the rows of an owner, besides the id. Default: none. */
  readonly unique: string | undefined;
  /** Whether all of them are stored, or none. */
  readonly isWhole: boolean;
  /** Stores all of them, or returns `false` and stores nothing because of a conflict. */
  readonly insert: (creates: readonly Creation<A, E>[]) => PromiseLike<Result<boolean, Unavailable>>;
  /** Looks up why each conflicts, by the same number of statements for any number of creates. */
  readonly findRejections: (
    creates: readonly Creation<A, E>[],
  ) => ResultAsync<readonly Rejection<A, Refused>[], Unavailable>;
}

/** How often those without conflict are tried together. Concurrent writes, and creates of the batch, may take what they need. */
const ATTEMPTS_MAX = 4;

/**
 * Stores creates together, first all and then those without conflict, and returns what became of each as if it were stored
 * after those before it; `null` for one that only an attempt can decide.
 */
export async function storeTogether<A, E, Refused>(
  creates: readonly Creation<A, E>[],
  { unique, isWhole, insert, findRejections }: Storing<A, E, Refused>,
): Promise<Result<readonly (Result<null, Conflict<A, Refused>> | null)[], Unavailable>> {
  const first = await insert(creates);
  if (first.isErr()) return err(first.error);
  if (first.value) return ok(creates.map(() => ok(null)));
  const outcomes = new Map<Creation<A, E>, Result<null, Conflict<A, Refused>> | null>();
  const open = () => creates.filter((create) => !outcomes.has(create));
  for (let attempt = 1; attempt < ATTEMPTS_MAX && outcomes.size < creates.length; attempt += 1) {
    const left = open();
    const found = await findRejections(left);
    // What is stored stays so. The others are tried alone.
    if (found.isErr()) break;
    for (const [index, rejection] of found.value.entries()) {
      const create = left[index];
      if (create && rejection) outcomes.set(create, rejection === 'unclear' ? null : err(rejection));
    }
    if (isWhole) break;
    const ready = firstOfEach(open(), unique);
    const stored = ready.length > 0 ? await insert(ready) : ok(false);
    if (stored.isErr()) break;
    if (stored.value) for (const create of ready) outcomes.set(create, ok(null));
  }
  return ok(creates.map((create) => outcomes.get(create) ?? null));
}

/** Returns the creates that none before them takes an id or unique value from. */
function firstOfEach<A, E>(creates: readonly Creation<A, E>[], unique: string | undefined): readonly Creation<A, E>[] {
  const taken = new Set<unknown>();
  return creates.filter(({ values }) => {
    const own = [values.id, unique === undefined ? null : values[unique]].filter((value) => value !== null);
    const isFirst = !own.some((value) => taken.has(value));
    for (const value of own) taken.add(value);
    return isFirst;
  });
}
