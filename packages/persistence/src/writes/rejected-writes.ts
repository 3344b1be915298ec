import {
  type Conflict,
  type CreateOf,
  type DomainEvent,
  inConflictOrder,
  type Owner,
  type Unavailable,
  type Write,
} from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import type { Executor } from '../postgres/executor.ts';
import { type ConstraintFault, classify } from '../postgres/postgres-errors.ts';
import type { AggregateKind, StoredWrite, Versioned } from './aggregate-kind.ts';
import type { RecordedWrite } from './idempotency-statements.ts';
import type { StoredWrites } from './stored-writes.ts';
import type { FoundConflict, WriteValues } from './write-functions.ts';

/** The result of an attempt; `again` when what it conflicted with is gone. */
export type Attempt<T, A, Refused> = Promise<Result<T, Conflict<A, Refused> | Unavailable> | 'again'>;

/** A create, and the values of its row and records. */
export interface Creation<A, E> {
  readonly write: CreateOf<A, E>;
  readonly values: WriteValues;
}

/** Why a create conflicts, `null` if it does not, and `unclear` if only an attempt can decide. */
type Rejection<A, Refused> = Conflict<A, Refused> | 'unclear' | null;

/** What a deletion conflicts with is looked up by its rules. */
const NOTHING: FoundConflict = { is_key_used: null, is_id_taken: null, holder: null, referred: null };

/** See {@link rejectedWrites}. */
export type RejectedWrites<A extends Versioned, E extends DomainEvent<string>, Refused> = ReturnType<
  typeof rejectedWrites<A, E, Refused>
>;

/** Returns what finds out why the database has rejected writes of a kind. */
export function rejectedWrites<A extends Versioned, E extends DomainEvent<string>, Refused>(
  primary: Executor,
  { statements, rulesOf }: Pick<AggregateKind<A, E, Refused, object, RecordedWrite>, 'statements' | 'rulesOf'>,
  {
    findRecorded,
    findAllRecorded,
    valuesOf,
  }: Pick<StoredWrites<A, E>, 'findRecorded' | 'findAllRecorded' | 'valuesOf'>,
) {
  const findConflicts = async (owner: Owner, values: readonly WriteValues[]): Promise<readonly FoundConflict[]> => {
    const { byColumn, write } = statements;
    if (!write.conflicts || values.length === 0) return [];
    const [row] = await write.conflicts(primary, { owner_id: owner, ...byColumn(values) });
    return row?.outcome ?? [];
  };

  const firstReason = async (owner: Owner, write: StoredWrite<A, E>, found: FoundConflict) => {
    for (const check of inConflictOrder(rulesOf?.(owner, write, found) ?? {})) {
      const reason = await check();
      if (reason !== null) return reason;
    }
    return null;
  };

  /** Returns the conflict with the record of the write's key, which comes before the reasons that other rows give. */
  const findKeyUse = async (owner: Owner, { key }: Write<A, E>) => {
    const found = await findRecorded(primary, owner, key);
    if (found.isErr()) return err(found.error);
    return found.value && err({ type: 'key_used' as const, recorded: found.value });
  };

  /** Returns the first rule that a write violates, of those that the database may check in another order. */
  const findConflict = async (owner: Owner, write: Write<A, E>, isIdTaken = false): Attempt<never, A, Refused> => {
    const keyUse = await findKeyUse(owner, write);
    if (keyUse) return keyUse;
    if (isIdTaken) return err({ type: 'id_taken' });
    if (write.kind === 'key_only') return 'again';
    const [found = NOTHING] = await findConflicts(owner, write.kind === 'delete' ? [] : [valuesOf(owner, write)]);
    const reason = await firstReason(owner, write, found);
    if (reason === null) return 'again';
    // The id comes before the reason, but the next attempt finds it, if that is gone.
    const isUsed = write.kind === 'create' && found.is_id_taken;
    return err(isUsed ? { type: 'id_taken' } : { type: 'refused', reason });
  };

  // Any other constraint is one that the host has added, such as a foreign key to orders, and stays violated when the write
  // is retried.
  const isRule = ({ constraint }: ConstraintFault): boolean => statements.constraints.includes(constraint);

  return {
    findKeyUse,
    findConflict,

    /** Whether creates were rejected because of a conflict, so that each may be stored alone. */
    isConflict: (fault: ConstraintFault): boolean => isExistingId(fault) || isRule(fault),

    /** Returns the reason of what a statement threw, which is thrown again if there is none. */
    explain: async (thrown: unknown, owner: Owner, write: Write<A, E>): Attempt<never, A, Refused> => {
      const fault = classify(thrown);
      if (fault.type === 'unavailable') return err(fault);
      const isIdTaken = write.kind === 'create' && isExistingId(fault);
      if (isIdTaken || isRule(fault)) return await findConflict(owner, write, isIdTaken);
      // A retry of what the constraint of a host rejects.
      const keyUse = await findKeyUse(owner, write);
      if (keyUse) return keyUse;
      throw thrown;
    },

    /** Returns why each of several creates conflicts. */
    findEach: async (owner: Owner, creates: readonly Creation<A, E>[]) => {
      const conflicts = await findConflicts(
        owner,
        creates.map(({ values }) => values),
      );
      const used = creates.flatMap(({ write: { key } }, index) => (conflicts[index]?.is_key_used && key ? key : []));
      const records = await findAllRecorded(primary, owner, used);
      const reject = async ({ write }: Creation<A, E>, found?: FoundConflict): Promise<Rejection<A, Refused>> => {
        const recorded = records.get(write.key?.key ?? '');
        if (!found || (found.is_key_used && !recorded)) return 'unclear';
        if (found.is_key_used && recorded) return { type: 'key_used', recorded };
        if (found.is_id_taken) return { type: 'id_taken' };
        const reason = await firstReason(owner, write, found);
        return reason === null ? null : { type: 'refused', reason };
      };
      return ok(await Promise.all(creates.map((create, index) => reject(create, conflicts[index]))));
    },
  };
}

/** Whether a write violated the primary key of its row or change record: the id exists, or its versions do. */
function isExistingId({ type, constraint }: ConstraintFault): boolean {
  return type === 'unique_violation' && constraint.endsWith('_pkey') && constraint !== 'idempotency_pkey';
}
