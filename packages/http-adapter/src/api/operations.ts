import type { OrderDefinition, UntypedDomain } from '@orders/domain';
import { customerOperations } from './customers/customer-operations.ts';
import { type EventParts, eventOperations } from './event-operations.ts';
import type { Operation } from './operation.ts';
import { orderOperations } from './orders/order-operations.ts';
import { type WebhookParts, webhookOperations } from './webhooks/webhook-operations.ts';

/** The optional parts of the API. Operations whose part is absent do not exist. */
export interface OptionalParts {
  readonly events?: Omit<EventParts, 'definition'> | undefined;
  readonly webhooks?: WebhookParts | undefined;
}

/** Returns all operations of the API. They follow the definition of the domain. */
export function operations(
  domain: UntypedDomain<OrderDefinition>,
  { events, webhooks }: OptionalParts,
): readonly Operation[] {
  const { definition } = domain;
  return [
    ...orderOperations(domain),
    ...customerOperations(domain),
    ...(events === undefined ? [] : eventOperations({ ...events, definition })),
    ...(webhooks === undefined ? [] : webhookOperations(webhooks)),
  ];
}
