import { setTimeout as sleep } from 'node:timers/promises';
import type { AggregateStore, Decided, DomainEvent, Found, Owner, Write } from '@orders/domain';
import { err, ok, ResultAsync } from 'neverthrow';
import type { Conflicts, RepositoryConnections } from '../postgres/repository-connections.ts';
import { toResultAsync, toUnavailable } from '../postgres/postgres-errors.ts';
import { jitter, retryAfterTableLock } from '../postgres/retry.ts';
import type { AggregateKind, Versioned } from './aggregate-kind.ts';
import { storeTogether } from './creates-together.ts';
import type { RecordedWrite } from './idempotency-statements.ts';
import { RecordedKeys } from './recorded-keys.ts';
import { type Attempt, rejectedWrites } from './rejected-writes.ts';
import { storedWrites } from './stored-writes.ts';

/** Returns the store of one kind of aggregate. A create is one command, a change or deletion a read and a command. */
export function aggregateStore<
  A extends Versioned,
  E extends DomainEvent<string>,
  Refused,
  Row extends object,
  Record extends RecordedWrite,
>(
  { primary, conflicts, writeListeners }: RepositoryConnections,
  kind: AggregateKind<A, E, Refused, Row, Record>,
): AggregateStore<A, E, Refused> {
  const { statements, findRoom } = kind;
  const keys = new RecordedKeys(statements.keys);
  const stored = storedWrites(kind, keys);
  const rejected = rejectedWrites(primary, kind, stored);

  const announce = (owner: Owner, { key }: Write<A, E>): void => {
    keys.addRecent(key);
    for (const listener of writeListeners) listener.written(owner, statements.name);
  };

  /** Attempts a write until it is stored, or there is a reason why not. `attempted` returns what the attempt has stored. */
  const settle = async <T>(
    owner: Owner,
    attempt: () => Attempt<T, A, Refused>,
    attempted: () => Write<A, E> | null,
  ): ReturnType<typeof untilDecided<T, A, Refused>> => {
    const result = await untilDecided(conflicts, attempt, (thrown) => {
      const write = attempted();
      if (!write) throw thrown;
      return rejected.explain(thrown, owner, write);
    });
    const write = result.isOk() && attempted();
    if (write) announce(owner, write);
    return result;
  };

  const storeOne = async (owner: Owner, write: Write<A, E>): Attempt<null, A, Refused> => {
    const room = write.kind === 'create' && findRoom ? await findRoom(primary, owner, write.after) : ok({});
    if (room.isErr()) return (await rejected.findKeyUse(owner, write)) ?? err({ type: 'refused', reason: room.error });
    const outcome = await stored.store(primary, owner, write, room.value);
    if (outcome === 'id_taken') return await rejected.findConflict(owner, write, true);
    return outcome === 'stale' ? err({ type: 'stale' }) : ok(null);
  };

  return {
    load: (owner, id) => toResultAsync(stored.load(primary, owner, id)),

    findRecorded: (owner, key) => toResultAsync(stored.findRecorded(primary, owner, key)),

    // Inside a transaction, a write that meets an expired record is not repeated.
    plan: (key) => ({
      lookUpFirst: primary.isTransaction || keys.isRecent(key),
      lockFirst: primary.isTransaction,
    }),

    commit: (owner, write) =>
      toResultAsync(
        settle(
          owner,
          () => storeOne(owner, write),
          () => write,
        ),
      ),

    commitAll: (owner, creates, isWhole) =>
      toResultAsync(storeTogether({ primary, statements, stored, rejected, announce }, owner, creates, isWhole)),

    commitLocked: (owner, id, lookUp, decide) => {
      let attempted: Write<A, E> | null = null;
      const work = () =>
        primary.transaction(async (transaction): Attempt<ReturnType<typeof decide>['result'], A, Refused> => {
          attempted = null;
          await statements.lock(transaction, { owner_id: owner, id });
          const recorded = await stored.findRecorded(transaction, owner, lookUp);
          if (recorded.isErr()) return err(recorded.error);
          const loaded = recorded.value ? ok(null) : await stored.load(transaction, owner, id);
          const { write, result } = decideOrThrow(decide, { loaded: loaded.value, recorded: recorded.value });
          attempted = write;
          // An aggregate that did not exist when it was to be locked may change after it was loaded.
          if (write && (await stored.store(transaction, owner, write)) === 'stale') return 'again';
          return ok(result);
        }, owner);
      const attempt = () => {
        if (primary.isTransaction) return work();
        const began = performance.now();
        return work().catch((cause: unknown) => retryAfterTableLock(primary, work, cause, began));
      };
      const result = settle(owner, attempt, () => attempted).catch((thrown: unknown) => {
        if (thrown instanceof DecisionThrew) throw thrown.cause;
        return err(toUnavailable(thrown));
      });
      return new ResultAsync(result);
    },
  };
}

/**
 * Attempts a write until an attempt has a result. Other clients may take and release a reference, an email or an expired
 * key faster than this write can look up its holder. Then it is repeated, first at once, then after a random wait, for a
 * limited time: a fixed number of attempts would fail by chance.
 */
async function untilDecided<T, A, Refused>(
  { retriedForMs, unresolved }: Conflicts,
  attempt: () => Attempt<T, A, Refused>,
  explain: (thrown: unknown) => Attempt<never, A, Refused>,
): Promise<Exclude<Awaited<Attempt<T, A, Refused>>, 'again'>> {
  const end = performance.now() + retriedForMs;
  let cause: unknown;
  for (let count = 0; ; count += 1) {
    const result = await attempt().catch((thrown: unknown) => {
      cause = thrown;
      return explain(thrown);
    });
    if (result !== 'again') return result;
    const wait = count === 0 ? 0 : jitter(count);
    if (performance.now() + wait >= end) {
      // Made only here, because the stack of an error takes longer than anything else in a write.
      const last = cause ?? new Error('every attempt of the write met a concurrent one');
      return err({ type: 'unavailable', cause: await unresolved(last) });
    }
    await sleep(wait);
  }
}

/** An exception of a decision: a bug of the domain, never an error of the database, which it may look like. */
class DecisionThrew extends Error {
  constructor(cause: unknown) {
    super('the decision about an aggregate threw', { cause });
  }
}

function decideOrThrow<A, E, R>(decide: (found: Found<A>) => Decided<A, E, R>, found: Found<A>): Decided<A, E, R> {
  try {
    return decide(found);
  } catch (cause) {
    throw new DecisionThrew(cause);
  }
}
