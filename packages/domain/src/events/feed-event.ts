import type { Customer } from '../customers/customer.ts';
import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { Order } from '../orders/order.ts';
import type { Author } from '../shared/author.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { EventType, FeedResourceType } from '../event-types.ts';

/** The resources of events, by kind. */
interface Resources<D extends OrderDefinition> {
  readonly order: Order<D>;
  readonly customer: Customer;
  readonly webhook_endpoint: WebhookEndpoint<D>;
}

/** The version of a resource of any of these kinds. */
export type ResourceAmong<Data extends Readonly<Record<FeedResourceType, object>>> = {
  [Type in FeedResourceType]: VersionedResource<Type, Data[Type]>;
}[FeedResourceType];

/** The resource that an event of the feed is about, at the version that the change made. */
export type FeedResource<D extends OrderDefinition = OrderDefinition> = ResourceAmong<Resources<D>>;

/** The version of one kind of resource that a change made. */
interface VersionedResource<Type extends FeedResourceType, Data> {
  readonly type: Type;
  /** UUID in lower case. */
  readonly id: string;
  /** The version that the change made; for a deletion, one more than the deleted version. */
  readonly version: number;
  /**
   * The resource at this version, as the write returned it; `null` for a deletion, and once its snapshot was erased.
   * Absent unless the query has `include: ['resource']`.
   */
  readonly data?: Data | null;
}

/** A change of a resource, as an element of its owner's feed. It has no personal data outside `data`. */
export interface FeedEvent<D extends OrderDefinition = DefaultDefinition> extends Author {
  /** UUIDv7 in lower case. */
  readonly id: string;
  /** 1, 2, 3, … within the owner's feed, without holes. It never changes. */
  readonly position: number;
  readonly type: EventType<D>;
  readonly resource: FeedResource<D>;
  /** Names of the changed fields, without `version` and `updated_at`. */
  readonly changed: readonly string[];
  /** The time of the change. Within a feed it may decrease, as positions follow the commits. */
  readonly occurred_at: Timestamp;
}
