import { ok } from 'neverthrow';
import type { CustomerErased, CustomerHasOrders, EmailTaken } from '../../customers/customer-errors.ts';
import type { CustomerEvent } from '../../customers/customer-kind.ts';
import { CUSTOMER_FILTERS } from '../../customers/customer-query.ts';
import { type CustomerRepository, ERASING_MAX, type PersonErased } from '../../customers/customer-repository.ts';
import { type Customer, emailKey } from '../../customers/customer.ts';
import { laterTimestamp, toMilliseconds, toTimestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import { copy } from './copy.ts';
import { InMemoryAggregates, type KindRules, type StoreParts } from './in-memory-aggregates.ts';
import { InMemoryErasures } from './in-memory-erasures.ts';
import { createPageLimit } from './page-limit.ts';

/** All customers of an in-memory store, with their versions and idempotency keys. */
export class InMemoryCustomers
  extends InMemoryAggregates<Customer, CustomerEvent, EmailTaken | CustomerHasOrders | CustomerErased>
  implements CustomerRepository
{
  readonly erasures: InMemoryErasures;
  /** The last erasures of those that were erased again, by owner and customer. */
  readonly #repeated = new Map<string, PersonErased>();

  constructor(
    parts: StoreParts,
    rules: KindRules<Customer, CustomerEvent, EmailTaken | CustomerHasOrders | CustomerErased>,
  ) {
    super(parts, rules);
    this.erasures = new InMemoryErasures(parts, (owner, { customer_id, email_key }) =>
      this.all(owner).some(({ id, email }) => email !== null && (id === customer_id || emailKey(email) === email_key)),
    );
  }

  override copyFrom(other: InMemoryCustomers): void {
    super.copyFrom(other);
    this.erasures.copyFrom(other.erasures);
    this.#repeated.clear();
    for (const [customer, person] of other.#repeated) this.#repeated.set(customer, person);
  }

  readonly list: CustomerRepository['list'] = (owner, query) =>
    this.gate.read(() => ok(this.page(owner, query, CUSTOMER_FILTERS, createPageLimit)));

  readonly findByEmail: CustomerRepository['findByEmail'] = (owner, key) =>
    this.gate.read(() => ok(copy(this.holderOf(owner, key) ?? null)));

  readonly findErasing: CustomerRepository['findErasing'] = (owner) =>
    this.gate.read(() => {
      const pending = this.all(owner).flatMap((customer) =>
        customer.erasure?.status === 'pending' ? (this.#personOf(owner, customer) ?? []) : [],
      );
      return ok(copy(pending.slice(0, ERASING_MAX)));
    });

  readonly repeatErasure: CustomerRepository['repeatErasure'] = (owner, id, at) =>
    this.gate.write(() => {
      const customer = this.find(owner, id);
      const before = customer && this.#personOf(owner, customer);
      if (!before) return ok(null);
      const next = toTimestamp(toMilliseconds(before.requested_at) + 1);
      const isRepeated = before.isRepeated || customer.erasure?.status === 'done';
      const person = { ...before, requested_at: laterTimestamp(at, next), isRepeated };
      this.#repeated.set(`${owner} ${id}`, person);
      this.changes.replaceCurrent(owner, id, { ...customer, erasure: { status: 'pending' } });
      return ok(copy(person));
    });

  readonly finishErasures: CustomerRepository['finishErasures'] = (owner, persons) =>
    this.gate.write(() => {
      for (const { customer_id: id, requested_at } of persons) {
        const customer = this.find(owner, id);
        if (!customer || this.#personOf(owner, customer)?.requested_at !== requested_at) continue;
        this.changes.replaceCurrent(owner, id, { ...customer, erasure: { status: 'done' } });
      }
      return ok(null);
    });

  /** Returns the last erasure of a customer; `null` without one. */
  #personOf(owner: Owner, { id: customer_id, erased_at }: Customer): PersonErased | null {
    if (erased_at === null) return null;
    const first = { customer_id, erased_at, requested_at: erased_at, isRepeated: false };
    return this.#repeated.get(`${owner} ${customer_id}`) ?? first;
  }

  /** Returns the customer with an {@link emailKey}, unless it is the one with the id `except`. */
  holderOf(owner: Owner, key: string, except?: string): Customer | undefined {
    return this.all(owner).find(({ id, email }) => id !== except && email !== null && emailKey(email) === key);
  }
}
