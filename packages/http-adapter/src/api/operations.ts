import { type Domain, untyped } from '@orders/domain';
import { customerOperations } from './customers/customer-operations.ts';
import { type EventParts, eventOperations } from './event-operations.ts';
import type { Operation } from './operation.ts';
import { orderOperations } from './orders/order-operations.ts';

/** Returns all operations of the API, with those on events if there is a feed. */
export function operations(domain: Domain, events: EventParts | undefined): readonly Operation[] {
  const useCases = untyped(domain);
  return [
    ...orderOperations(useCases),
    ...customerOperations(useCases),
    ...(events === undefined ? [] : eventOperations(events)),
  ];
}
