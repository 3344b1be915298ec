import { err, ok, okAsync, type ResultAsync } from 'neverthrow';
import { changeAggregate, type Decision, except } from '../aggregates/write-aggregate.ts';
import type { CustomerEvent } from '../customers/customer-kind.ts';
import { type Customer, isErased } from '../customers/customer.ts';
import type { CustomerPorts } from '../customers/customer-repository.ts';
import type { PendingErasure } from '../customers/erasure-repository.ts';
import type { Author } from '../shared/author.ts';
import { currentTimestamp, laterTimestamp } from '../shared/clock.ts';
import { createEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';

/**
 * Erases the customers of an erasure by email: the one who had the email when it was requested, and the one who has it now.
 * Their orders follow. Returns the id of the last of them; `null` without any.
 */
export function eraseCustomersOf(
  ports: CustomerPorts,
  owner: Owner,
  { email_key, customer_id }: Pick<PendingErasure, 'email_key' | 'customer_id'>,
  author: Author,
): ResultAsync<string | null, Unavailable> {
  const destination = { store: ports.customers, owner, key: undefined, missing: 'customer_not_found' } as const;
  const erase = (id: string) =>
    changeAggregate(destination, id, (before: Customer) =>
      ok(isErased(before) ? { after: before, event: null } : erased(ports, owner, before, author)),
    )
      .mapErr(except('idempotency_key_reused', 'email_taken', 'customer_has_orders', 'customer_erased'))
      .map((): string | null => id)
      // It was deleted meanwhile.
      .orElse((error) => (error.type === 'customer_not_found' ? ok(null) : err(error)));
  return (customer_id === null ? okAsync(null) : erase(customer_id)).andThen((first) =>
    ports.customers
      .findByEmail(owner, email_key)
      .andThen((customer) => (customer === null ? okAsync(first) : erase(customer.id))),
  );
}

/** Returns the change that erases a customer who is not erased. */
export function erased(
  ports: CustomerPorts,
  owner: Owner,
  before: Customer,
  author: Author,
): Decision<Customer, CustomerEvent> {
  const at = laterTimestamp(before.updated_at, currentTimestamp(ports.clock));
  const after: Customer = {
    ...before,
    email: null,
    name: null,
    metadata: {},
    version: before.version + 1,
    updated_at: at,
    erased_at: at,
    erasure: { status: 'pending' },
  };
  const event = { type: 'customer.erased', changed: changedMembers(before) } as const;
  return { after, event: createEvent(ports.ids, owner, author, event, after), erases: true };
}

function changedMembers({ name, metadata }: Customer): readonly string[] {
  return [
    'email',
    ...(name === null ? [] : ['name']),
    ...(Object.keys(metadata).length === 0 ? [] : ['metadata']),
    'erased_at',
    'erasure',
  ];
}
