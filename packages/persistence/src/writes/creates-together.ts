import type { Conflict, CreateOf, DomainEvent, Owner, Unavailable } from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import { errorCode } from '../postgres/error-code.ts';
import type { Executor } from '../postgres/executor.ts';
import { classify, toResultAsync } from '../postgres/postgres-errors.ts';
import type { Versioned } from './aggregate-kind.ts';
import type { AggregateStatements } from './aggregate-statements.ts';
import type { RecordedWrite } from './idempotency-statements.ts';
import type { Creation, RejectedWrites } from './rejected-writes.ts';
import type { StoredWrites } from './stored-writes.ts';

/** What creates of a kind are stored by. */
interface Storing<A extends Versioned, E extends DomainEvent<string>, Refused> {
  readonly primary: Executor;
  readonly statements: Pick<AggregateStatements<object, RecordedWrite>, 'write' | 'byColumn' | 'unique'>;
  readonly stored: Pick<StoredWrites<A, E>, 'valuesOf'>;
  readonly rejected: Pick<RejectedWrites<A, E, Refused>, 'findEach' | 'isConflict'>;
  /** Called for each create that was stored. */
  readonly announce: (owner: Owner, write: CreateOf<A, E>) => void;
}

/** How often those without conflict are tried together. Concurrent writes, and creates of the batch, may take what they need. */
const ATTEMPTS_MAX = 4;

/**
 * Stores creates together, first all and then those without conflict, and returns what became of each as if it were stored
 * after those before it; `null` for one that only an attempt can decide.
 *
 * @param isWhole whether all of them are stored, or none
 */
export async function storeTogether<A extends Versioned, E extends DomainEvent<string>, Refused>(
  storing: Storing<A, E, Refused>,
  owner: Owner,
  writes: readonly CreateOf<A, E>[],
  isWhole: boolean,
): Promise<Result<readonly (Result<null, Conflict<A, Refused>> | null)[], Unavailable>> {
  const { statements, stored, rejected } = storing;
  if (!statements.write.insertAll) return ok(writes.map(() => null));
  const creates = writes.map((write) => ({ write, values: stored.valuesOf(owner, write) }));
  const first = await insertAll(storing, owner, creates);
  if (first.isErr()) return err(first.error);
  if (first.value) return ok(creates.map(() => ok(null)));
  const outcomes = new Map<Creation<A, E>, Result<null, Conflict<A, Refused>> | null>();
  const open = () => creates.filter((create) => !outcomes.has(create));
  for (let attempt = 1; attempt < ATTEMPTS_MAX && outcomes.size < creates.length; attempt += 1) {
    const left = open();
    const found = await toResultAsync(rejected.findEach(owner, left));
    // What is stored stays so. The others are tried alone.
    if (found.isErr()) break;
    for (const [index, rejection] of found.value.entries()) {
      const create = left[index];
      if (create && rejection) outcomes.set(create, rejection === 'unclear' ? null : err(rejection));
    }
    if (isWhole) break;
    const ready = firstOfEach(open(), statements.unique);
    const isStored = ready.length > 0 ? await insertAll(storing, owner, ready) : ok(false);
    if (isStored.isErr()) break;
    if (isStored.value) for (const create of ready) outcomes.set(create, ok(null));
  }
  return ok(creates.map((create) => outcomes.get(create) ?? null));
}

/** Stores all of several creates, or returns `false` and stores nothing because of a conflict. */
async function insertAll<A extends Versioned, E extends DomainEvent<string>, Refused>(
  { primary, statements, rejected, announce }: Storing<A, E, Refused>,
  owner: Owner,
  creates: readonly Creation<A, E>[],
): Promise<Result<boolean, Unavailable>> {
  try {
    const call = { owner_id: owner, ...statements.byColumn(creates.map(({ values }) => values)) };
    const [row] = (await statements.write.insertAll?.(primary, call)) ?? [];
    const isWritten = row?.outcome === 'written';
    if (isWritten) for (const { write } of creates) announce(owner, write);
    return ok(isWritten);
  } catch (thrown) {
    // Two of them took each other's references or keys. Each create alone takes them in one order.
    if (errorCode(thrown) === '40P01') return ok(false);
    const fault = classify(thrown);
    if (fault.type === 'unavailable') return err(fault);
    if (rejected.isConflict(fault)) return ok(false);
    throw thrown;
  }
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
