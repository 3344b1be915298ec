import { type Domain, untyped } from '@orders/domain';
import { customerOperations } from './customers/customer-operations.ts';
import { type EventParts, eventOperations } from './event-operations.ts';
import type { Operation } from './operation.ts';
import { orderOperations } from './orders/order-operations.ts';
import { type WebhookParts, webhookOperations } from './webhooks/webhook-operations.ts';

/** The optional parts of the API. Operations whose part is absent do not exist. */
export interface OptionalParts {
  readonly events?: EventParts | undefined;
  readonly webhooks?: WebhookParts | undefined;
}

/** Returns all operations of the API. */
export function operations(domain: Domain, { events, webhooks }: OptionalParts): readonly Operation[] {
  const useCases = untyped(domain);
  return [
    ...orderOperations(useCases),
    ...customerOperations(useCases),
    ...(events === undefined ? [] : eventOperations(events)),
    ...(webhooks === undefined ? [] : webhookOperations(webhooks)),
  ];
}
