import type { DomainEvent } from '../shared/domain-event.ts';

/** Type of a customer event: the customer was created, changed or deleted. */
export type CustomerEventType = 'customer.created' | 'customer.changed' | 'customer.deleted';

/** An event of a customer. */
export type CustomerEvent = DomainEvent<CustomerEventType>;
