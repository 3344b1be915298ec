import { ok } from 'neverthrow';
import { ERASING_MAX } from '../../customers/customer-repository.ts';
import { type ErasureEvent, erasureKind } from '../../customers/erasure-kind.ts';
import type { EmailErasure, ErasureRepository, PendingErasure } from '../../customers/erasure-repository.ts';
import { laterTimestamp, type Timestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import { InMemoryAggregates, type StoreParts } from './in-memory-aggregates.ts';

/** All erasures by email of an in-memory store, with their idempotency keys. */
export class InMemoryErasures
  extends InMemoryAggregates<EmailErasure, ErasureEvent, never>
  implements ErasureRepository
{
  /** The times at which orders were erased by email, by owner and id. */
  readonly #orders = new Map<string, Timestamp>();

  readonly #isCustomerLeft: (owner: Owner, erasure: PendingErasure) => boolean;

  constructor(parts: StoreParts, isCustomerLeft: (owner: Owner, erasure: PendingErasure) => boolean) {
    super(parts, {
      name: erasureKind.name,
      rulesOf: () => ({}),
      erases: true,
      toErased: () => null,
      publish: () => {},
    });
    this.#isCustomerLeft = isCustomerLeft;
  }

  override copyFrom(other: InMemoryErasures): void {
    super.copyFrom(other);
    this.#orders.clear();
    for (const [order, erasedAt] of other.#orders) this.#orders.set(order, erasedAt);
  }

  readonly findPending: ErasureRepository['findPending'] = (owner) =>
    this.gate.read(() => {
      const pending = this.all(owner).flatMap(({ id, email_key, customer_id, created_at }) =>
        email_key === null ? [] : { id, email_key, customer_id, created_at },
      );
      const found = pending.slice(0, ERASING_MAX);
      return ok(found.map((each) => ({ ...each, isCustomerLeft: this.#isCustomerLeft(owner, each) })));
    });

  readonly finish: ErasureRepository['finish'] = (owner, ids) =>
    this.gate.write(() => {
      for (const id of ids) {
        const erasure = this.find(owner, id);
        if (erasure) this.changes.replaceCurrent(owner, id, { ...erasure, email_key: null, status: 'done' });
      }
      return ok(null);
    });

  readonly keepOrder: ErasureRepository['keepOrder'] = (owner, id, erased_at) =>
    this.gate.write(() => {
      const order = `${owner} ${id}`;
      this.#orders.set(order, laterTimestamp(this.#orders.get(order) ?? erased_at, erased_at));
      return ok(null);
    });
}
