import type { DomainEvent } from '../shared/domain-event.ts';

/** What can happen to a customer. */
export type CustomerEventType = 'customer.created' | 'customer.changed' | 'customer.deleted';

/** What happened to a customer. */
export type CustomerEvent = DomainEvent<CustomerEventType>;
