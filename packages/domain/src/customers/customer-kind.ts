import type { AggregateKind } from '../aggregates/aggregate-kind.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import { deepFreeze } from '../shared/frozen.ts';

/** The types of customer events: the customer was created, imported, changed, erased or deleted. */
export const CUSTOMER_EVENT_TYPES = deepFreeze([
  'customer.created',
  'customer.imported',
  'customer.changed',
  'customer.erased',
  'customer.deleted',
] as const);
/** Type of a customer event, one of {@link CUSTOMER_EVENT_TYPES}. */
export type CustomerEventType = (typeof CUSTOMER_EVENT_TYPES)[number];

/** An event of a customer. */
export type CustomerEvent = DomainEvent<CustomerEventType>;

/** The kind of customers. */
export const customerKind: AggregateKind<'customer', CustomerEventType> = deepFreeze({
  name: 'customer',
  events: CUSTOMER_EVENT_TYPES,
});
