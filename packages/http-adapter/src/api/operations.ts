import type { OrderDefinition, UntypedDomain } from '@orders/domain';
import type { EventFeed } from '@orders/domain/events';
import type { OrderStatistics } from '@orders/domain/statistics';
import type { UntypedWebhooks } from '@orders/domain/webhooks';
import { customerOperations } from './customers/customer-operations.ts';
import { type EventParts, eventOperations } from './event-operations.ts';
import type { Operation } from './operation.ts';
import { orderOperations } from './orders/order-operations.ts';
import { statisticsOperations } from './statistics/statistics-operations.ts';
import { webhookOperations } from './webhooks/webhook-operations.ts';

/** The parts of the domain, of one definition. Operations whose part is absent do not exist. */
export interface DomainParts {
  readonly domain: UntypedDomain<OrderDefinition>;
  readonly feed?: EventFeed<OrderDefinition> | undefined;
  readonly statistics?: OrderStatistics<OrderDefinition> | undefined;
  readonly webhooks?: UntypedWebhooks<OrderDefinition> | undefined;
}

/** Returns all operations of the API. They follow the definition of the domain. */
export function operations(
  { domain, feed, statistics, webhooks }: DomainParts,
  { waiters, scopeChallenge }: Pick<EventParts, 'scopeChallenge' | 'waiters'>,
): readonly Operation[] {
  const { definition } = domain;
  return [
    ...orderOperations(domain),
    ...customerOperations(domain, scopeChallenge),
    ...(feed === undefined ? [] : eventOperations({ feed, definition, waiters, scopeChallenge })),
    ...(statistics === undefined ? [] : statisticsOperations(statistics, definition)),
    ...(webhooks === undefined ? [] : webhookOperations({ webhooks, scopeChallenge })),
  ];
}
