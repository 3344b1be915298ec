import {
  type Domain,
  type IdSource,
  type ORDERS,
  type OrderDefinition,
  type Owner,
  assertActor,
  assertOwner,
  untyped,
} from '@orders/domain';
import type { EventFeed } from '@orders/domain/events';
import { type Webhooks, untypedWebhooks } from '@orders/domain/webhooks';
import { assertOptions } from '../calls/known-options.ts';
import { customersOf } from './customers.ts';
import type { OwnerClient } from './client.ts';
import { eventsOf } from './events.ts';
import { ordersOf } from './orders.ts';
import { webhooksOf } from './webhooks.ts';

/** What {@link forOwner} binds to one owner. */
export interface OwnerParts<D extends OrderDefinition = typeof ORDERS> {
  readonly domain: Domain<D>;
  /** Makes idempotency keys for writes that have none. The source of the domain will do. */
  readonly ids: IdSource;
  /** The credential that makes the changes; see {@link WriteOptions.actor}. Default: unknown. */
  readonly actor?: string | undefined;
}

/** The feed of the changes that a domain makes. */
interface WithFeed<D extends OrderDefinition> {
  readonly feed: EventFeed<D>;
}

/** The use cases of webhooks. */
interface WithWebhooks<D extends OrderDefinition> {
  readonly webhooks: Webhooks<D>;
}

/**
 * Binds the use cases to one owner, with the methods, results and errors of a client of `@orders/client`. A program that
 * uses it can use a server instead by changing the line that calls this function, and the import.
 *
 * Without `feed` or `webhooks`, the member of that name is missing.
 *
 * @throws {TypeError} a part is unknown, or the owner or the actor is not 1 to 255 printable ASCII characters
 */
export function forOwner<D extends OrderDefinition>(
  parts: OwnerParts<D> & WithFeed<D> & WithWebhooks<D>,
  owner: Owner,
): OwnerClient<D>;
export function forOwner<D extends OrderDefinition>(
  parts: OwnerParts<D> & WithFeed<D>,
  owner: Owner,
): Omit<OwnerClient<D>, 'webhooks'>;
export function forOwner<D extends OrderDefinition>(
  parts: OwnerParts<D>,
  owner: Owner,
): Omit<OwnerClient<D>, 'events' | 'webhooks'>;
export function forOwner(parts: object, owner: Owner): unknown {
  assertOptions(parts, ['domain', 'feed', 'webhooks', 'ids', 'actor']);
  const { domain, feed, webhooks, ids, actor } = widen(parts);
  assertOwner(owner);
  if (actor !== undefined) assertActor(actor);
  const context = { owner, ids, actor };
  const useCases = untyped(domain);
  return {
    ...ordersOf(context, useCases, domain.definition),
    customers: customersOf(context, useCases),
    ...(feed ? { events: eventsOf(context, feed, domain.definition) } : {}),
    ...(webhooks ? { webhooks: webhooksOf(context, untypedWebhooks(webhooks)) } : {}),
  };
}

/** Returns the parts themselves. All of them have orders of one definition. */
function widen(
  parts: object,
): OwnerParts<OrderDefinition> & Partial<WithFeed<OrderDefinition> & WithWebhooks<OrderDefinition>>;
function widen(parts: object): unknown {
  return parts;
}
