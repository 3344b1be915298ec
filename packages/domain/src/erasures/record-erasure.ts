import { err, ok, okAsync, type ResultAsync } from 'neverthrow';
import { changeAggregate, type Decision, except } from '../aggregates/write-aggregate.ts';
import type { CustomerEvent } from '../customers/customer-kind.ts';
import { type Customer, emailKey } from '../customers/customer.ts';
import type { CustomerPorts } from '../customers/customer-repository.ts';
import type { Author } from '../shared/author.ts';
import { currentTimestamp, laterTimestamp } from '../shared/clock.ts';
import { createEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';

/** Erases the customer with an {@link emailKey}, unless the owner has none. Its orders follow. */
export function eraseCustomerWith(
  ports: CustomerPorts,
  owner: Owner,
  email_key: string,
  author: Author,
): ResultAsync<unknown, Unavailable> {
  const destination = { store: ports.customers, owner, key: undefined, missing: 'customer_not_found' } as const;
  return ports.customers.findByEmail(owner, email_key).andThen((customer) => {
    if (!customer) return okAsync(null);
    return changeAggregate(destination, customer.id, (before: Customer) => {
      const hasEmail = before.email !== null && emailKey(before.email) === email_key;
      return ok(hasEmail ? erased(ports, owner, before, author) : { after: before, event: null });
    })
      .mapErr(except('idempotency_key_reused', 'email_taken', 'customer_has_orders', 'customer_erased'))
      .orElse((error) => (error.type === 'customer_not_found' ? ok(null) : err(error)));
  });
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
