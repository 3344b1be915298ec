import type { Domain, OrderDefinition, UntypedDomain } from '@orders/domain';
import type { EventFeed, ReadFeedError } from '@orders/domain/events';
import type { Webhooks } from '@orders/domain/webhooks';
import type { ResultAsync } from 'neverthrow';

/** The use cases of `T`, with inputs and results of orders of any definition. */
type OfAnyDefinition<T> = {
  readonly [UseCase in Exclude<keyof T, 'definition'>]: (...given: never[]) => ResultAsync<unknown, unknown>;
};

/** A `Domain` of any definition. */
export type AnyDomain = OfAnyDefinition<Domain> & {
  /** The definition of the orders, which the API follows. */
  readonly definition: OrderDefinition;
};

/** `Webhooks` of any definition. */
export type AnyWebhooks = OfAnyDefinition<Webhooks> & {
  /** The definition of the orders whose events are sent. */
  readonly definition: OrderDefinition;
};

/** An `EventFeed` of any definition. */
export interface AnyFeed extends Pick<EventFeed, 'wait'> {
  /** The definition of the orders whose events it has. Default: not compared with that of the domain. */
  readonly definition?: OrderDefinition | undefined;
  readonly read: (...given: never[]) => ResultAsync<unknown, ReadFeedError>;
}

/** The parts of the domain as the API calls them: of a definition that is known only when the program runs. */
export interface DomainParts {
  readonly domain: UntypedDomain<OrderDefinition>;
  readonly feed: EventFeed<OrderDefinition> | undefined;
  readonly webhooks: Webhooks<OrderDefinition> | undefined;
}

/**
 * Returns the parts of the domain themselves. The compiler keeps orders of two definitions apart, and the API passes on only
 * those of one.
 */
export function domainParts(parts: {
  readonly domain: AnyDomain;
  readonly feed?: AnyFeed | undefined;
  readonly webhooks?: AnyWebhooks | undefined;
}): DomainParts;
export function domainParts({ domain, feed, webhooks }: Readonly<Record<string, unknown>>): unknown {
  return { domain, feed, webhooks };
}
