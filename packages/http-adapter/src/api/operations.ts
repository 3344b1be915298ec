import { type Domain, type OrderDefinition, untyped } from '@orders/domain';
import type { EventFeed } from '@orders/domain/events';
import type { OrderStatistics } from '@orders/domain/statistics';
import { untypedWebhooks, type Webhooks } from '@orders/domain/webhooks';
import { customerOperations } from './customers/customer-operations.ts';
import { erasureOperations } from './erasures/erasure-operations.ts';
import { type EventParts, eventOperations } from './event-operations.ts';
import type { Operation } from './operation.ts';
import { type BatchParts, orderBatches } from './orders/order-batches.ts';
import { orderOperations } from './orders/order-operations.ts';
import { statisticsOperations } from './statistics/statistics-operations.ts';
import { webhookOperations } from './webhooks/webhook-operations.ts';

/** The parts of the domain, of one definition. Operations whose part is absent do not exist. */
export interface DomainParts {
  readonly domain: Domain<OrderDefinition>;
  readonly feed?: EventFeed<OrderDefinition> | undefined;
  readonly statistics?: OrderStatistics<OrderDefinition> | undefined;
  readonly webhooks?: Webhooks<OrderDefinition> | undefined;
}

/** Returns all operations of the API. They follow the definition of the domain. */
export function operations(
  { domain: useCases, feed, statistics, webhooks }: DomainParts,
  { waiters, ...batches }: Pick<EventParts, 'waiters'> & BatchParts,
): readonly Operation[] {
  const domain = untyped(useCases);
  const { definition } = domain;
  const { scopeChallenge } = batches;
  return [
    ...orderOperations(domain),
    ...orderBatches(domain, batches),
    ...customerOperations(domain, scopeChallenge),
    ...erasureOperations(domain, scopeChallenge),
    ...(feed === undefined ? [] : eventOperations({ feed, definition, waiters, scopeChallenge })),
    ...(statistics === undefined ? [] : statisticsOperations(statistics, definition)),
    ...(webhooks === undefined ? [] : webhookOperations({ webhooks: untypedWebhooks(webhooks), scopeChallenge })),
  ];
}
