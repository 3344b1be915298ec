import {
  type Conflict,
  type DomainEvent,
  inConflictOrder,
  type Owner,
  type Unavailable,
  type Write,
} from '@orders/domain';
import { err, type Ok, ok, type Result } from 'neverthrow';
import type { Executor } from '../postgres/executor.ts';
import { type ConstraintFault, classify } from '../postgres/postgres-errors.ts';
import type { AggregateKind, StoredWrite } from './aggregate-kind.ts';
import type { Creation, Rejection } from './creates-together.ts';
import type { RecordedWrite } from './idempotency-statements.ts';
import type { StoredWrites } from './stored-writes.ts';
import type { FoundConflict, WriteValues } from './write-functions.ts';

/** The result of an attempt; `again` when what it conflicted with is gone. */
export type Attempt<T, A, Refused> = Promise<Result<T, Conflict<A, Refused> | Unavailable> | 'again'>;

/** A deletion is looked up by its rules alone. */
const NOTHING_FOUND: FoundConflict = { is_key_used: null, is_id_taken: null, holder: null, referred: null };

/** Finds out why the database has rejected writes of one kind of aggregate. */
export class RejectedWrites<
  A extends { readonly id: string; readonly version: number },
  E extends DomainEvent<string>,
  Refused,
  Row extends object,
  Record extends RecordedWrite,
> {
  readonly #primary: Executor;
  readonly #kind: AggregateKind<A, E, Refused, Row, Record>;
  readonly #stored: StoredWrites<A, E, Refused, Row, Record>;

  constructor(
    primary: Executor,
    kind: AggregateKind<A, E, Refused, Row, Record>,
    stored: StoredWrites<A, E, Refused, Row, Record>,
  ) {
    this.#primary = primary;
    this.#kind = kind;
    this.#stored = stored;
  }

  /** Returns the reason of what a statement threw, which is thrown again if there is none. */
  async explain(thrown: unknown, owner: Owner, write: Write<A, E>): Attempt<never, A, Refused> {
    const fault = classify(thrown);
    if (fault.type === 'unavailable') return err(fault);
    const isIdTaken = write.kind === 'create' && isExistingId(fault);
    if (isIdTaken || this.#isRule(fault)) return await this.findConflict(owner, write, isIdTaken);
    // A retry of what the constraint of a host rejects.
    const keyUse = await this.findKeyUse(owner, write);
    if (keyUse) return keyUse;
    throw thrown;
  }

  /** Whether several creates were rejected because of a conflict, so that each may be stored alone. */
  isConflict(fault: ConstraintFault): boolean {
    return isExistingId(fault) || this.#isRule(fault);
  }

  /** Returns the first rule that a write violates, of those that the database may check in another order. */
  async findConflict(owner: Owner, write: Write<A, E>, isIdTaken = false): Attempt<never, A, Refused> {
    const keyUse = await this.findKeyUse(owner, write);
    if (keyUse) return keyUse;
    if (isIdTaken) return err({ type: 'id_taken' });
    if (write.kind === 'key_only') return 'again';
    const values = write.kind === 'delete' ? [] : [this.#stored.valuesOf(owner, write)];
    const [found = NOTHING_FOUND] = await this.#findConflicts(owner, values);
    const reason = await this.#firstReason(owner, write, found);
    if (reason === null) return 'again';
    // The id comes before the reason, but the next attempt finds it, if that is gone.
    const isUsed = write.kind === 'create' && found.is_id_taken;
    return err(isUsed ? { type: 'id_taken' } : { type: 'refused', reason });
  }

  /** Returns the conflict with the record of the write's key, which comes before the reasons that other rows give. */
  async findKeyUse(
    owner: Owner,
    { key }: Write<A, E>,
  ): Promise<Result<never, Conflict<A, never> | Unavailable> | null> {
    const found = await this.#stored.findRecorded(this.#primary, owner, key);
    if (found.isErr()) return err(found.error);
    return found.value && err({ type: 'key_used', recorded: found.value });
  }

  /** Returns why each of several creates conflicts. */
  async findEach(
    owner: Owner,
    creates: readonly Creation<A, E>[],
  ): Promise<Ok<readonly Rejection<A, Refused>[], never>> {
    const conflicts = await this.#findConflicts(
      owner,
      creates.map(({ values }) => values),
    );
    const used = creates.flatMap(({ write: { key } }, index) => (conflicts[index]?.is_key_used && key ? [key] : []));
    const records = await this.#stored.keys.findAll(this.#primary, owner, used);
    const rejections: Rejection<A, Refused>[] = [];
    for (const [index, { write }] of creates.entries()) {
      const found = conflicts[index];
      const record = records.get(write.key?.key ?? '');
      const recorded = found?.is_key_used && record ? this.#stored.toRecorded(record) : null;
      if (!found || (found.is_key_used && !recorded?.isOk())) rejections.push('unclear');
      else if (recorded?.isOk()) rejections.push({ type: 'key_used', recorded: recorded.value });
      else if (found.is_id_taken) rejections.push({ type: 'id_taken' });
      else {
        const reason = await this.#firstReason(owner, write, found);
        rejections.push(reason === null ? null : { type: 'refused', reason });
      }
    }
    return ok(rejections);
  }

  /**
   * Whether concurrent writes violate a constraint. Any other is one that the host has added, such as a foreign key to
   * orders, and stays violated when the write is retried.
   */
  #isRule({ constraint }: ConstraintFault): boolean {
    return this.#kind.statements.constraints.includes(constraint);
  }

  async #findConflicts(owner: Owner, values: readonly WriteValues[]): Promise<readonly FoundConflict[]> {
    const { byColumn, write } = this.#kind.statements;
    if (!write.conflicts || values.length === 0) return [];
    const [row] = await write.conflicts(this.#primary, { call: { owner_id: owner, ...byColumn(values) } });
    return row?.outcome ?? [];
  }

  async #firstReason(owner: Owner, write: StoredWrite<A, E>, found: FoundConflict): Promise<Refused | null> {
    for (const check of inConflictOrder(this.#kind.rulesOf?.(owner, write, found) ?? {})) {
      const reason = await check();
      if (reason !== null) return reason;
    }
    return null;
  }
}

/** Whether a write violated the primary key of its row or change record: the id exists, or its versions do. */
function isExistingId({ type, constraint }: ConstraintFault): boolean {
  return type === 'unique_violation' && constraint.endsWith('_pkey') && constraint !== 'idempotency_pkey';
}
