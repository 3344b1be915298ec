import type {
  CustomOf,
  DefaultDefinition,
  Definition,
  EnteredStatusOf,
  MergePatch,
  OrderEventTypeOf,
  StatusOf,
  WithCustom,
} from './definition.ts';
import type { components } from './generated/api.ts';

/** The schemas of the OpenAPI document. */
export type Schemas = components['schemas'];

/** An input of the document, whose optional members may also be present and `undefined`. */
type Input<T> = {
  readonly [Key in keyof T]: Record<never, never> extends Pick<T, Key> ? T[Key] | undefined : T[Key];
};

/** An amount of money in minor units, such as `{ amount: 1999, currency: 'EUR' }`. */
export type Money = Schemas['Money'];
/** One line of an order. */
export type LineItem = Schemas['LineItem'];
/** Texts by your own keys. */
export type Metadata = Schemas['Metadata'];
/** A customer. */
export type Customer = Schemas['Customer'];
/** The input of a new customer. */
export type NewCustomer = Input<Schemas['NewCustomer']>;
/** A merge patch of a customer (RFC 7396): absent members stay, `null` removes. */
export type CustomerPatch = Input<Schemas['CustomerChange']>;
/** The input of a cancellation. */
export type Cancellation = Input<Schemas['Cancellation']>;
/** A URL that receives your events. */
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
/** The delivery of one event to one endpoint. */
export type WebhookDelivery = Schemas['WebhookDelivery'];
/** The result of a test of an endpoint. */
export type WebhookTest = Schemas['WebhookTest'];
/** The input of a rotation. */
export type SecretRotation = Input<Schemas['SecretRotation']>;

/** Members of an order that depend on its definition. */
type Defined =
  | 'status'
  | 'available_transitions'
  | Extract<keyof Schemas['Order'], `${EnteredStatusOf<DefaultDefinition>}_at`>;

/** An order. */
export type Order<D extends Definition = DefaultDefinition> = Omit<Schemas['Order'], Defined> & {
  readonly status: StatusOf<D>;
  /** The statuses that the order can change to now. */
  readonly available_transitions: readonly StatusOf<D>[];
} & { readonly [Status in EnteredStatusOf<D> as `${Status}_at`]: string | null } & WithCustom<
    D,
    { readonly custom: CustomOf<D> | null }
  >;

/** The input of a new order. */
export type NewOrder<D extends Definition = DefaultDefinition> = Input<Schemas['NewOrder']> &
  WithCustom<D, { readonly custom?: CustomOf<D> | null | undefined }>;

/** A change to any status except that of a cancelled order, or to none. */
interface StatusPatch<D extends Definition> {
  readonly status?: Exclude<StatusOf<D>, D['cancel']> | undefined;
  readonly cancel_reason?: undefined;
}

/** A cancellation by a patch. */
interface CancellationPatch<D extends Definition> {
  readonly status: D['cancel'];
  readonly cancel_reason?: string | null | undefined;
}

/** A merge patch of an order (RFC 7396): absent members stay, `null` removes. Only a cancellation has a reason. */
export type OrderPatch<D extends Definition = DefaultDefinition> = Omit<
  Input<Schemas['OrderChange']>,
  'status' | 'cancel_reason'
> &
  (StatusPatch<D> | CancellationPatch<D>) &
  WithCustom<D, { readonly custom?: MergePatch<CustomOf<D>> | null | undefined }>;

/** One version of an order. */
export type OrderVersion<D extends Definition = DefaultDefinition> = Omit<Schemas['OrderVersion'], 'order' | 'type'> & {
  /** Type of the change; `null` for a version that was stored before changes were recorded. */
  readonly type: OrderEventTypeOf<D> | null;
  /** `null` for a deletion, and after the order was erased. */
  readonly order: Order<D> | null;
};

/** Type of an event. A later server may send others. */
export type EventType<D extends Definition = DefaultDefinition> =
  | OrderEventTypeOf<D>
  | 'customer.created'
  | 'customer.changed'
  | 'customer.deleted'
  | 'webhook_endpoint.disabled';

/** The version of a resource that a change made. */
interface VersionedResource<Type extends string, Data> {
  readonly type: Type;
  readonly id: string;
  readonly version: number;
  /** With `include: ['resource']`: the resource at this version; `null` once it was erased. */
  readonly data?: Data | null;
}

/** A change of a resource, as an element of the feed. */
export type OrdersEvent<D extends Definition = DefaultDefinition> = Omit<Schemas['Event'], 'type' | 'resource'> & {
  readonly type: EventType<D>;
  readonly resource:
    | VersionedResource<'order', Order<D>>
    | VersionedResource<'customer', Customer>
    | VersionedResource<'webhook_endpoint', WebhookEndpoint>;
};

/** The input of a new webhook endpoint. */
export type NewWebhookEndpoint<D extends Definition = DefaultDefinition> = Omit<
  Input<Schemas['NewWebhookEndpoint']>,
  'types'
> & {
  /** Types of the events to send. Default: every type. */
  readonly types?: readonly EventType<D>[] | null | undefined;
};

/** A merge patch of a webhook endpoint (RFC 7396). */
export type WebhookEndpointPatch<D extends Definition = DefaultDefinition> = Omit<
  Input<Schemas['WebhookEndpointChange']>,
  'types'
> & { readonly types?: readonly EventType<D>[] | null | undefined };

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  /** Cursor of the next page, for `after`; `null` on the last page. */
  readonly next_cursor: string | null;
}

/** One page of the feed. */
export interface EventPage<D extends Definition = DefaultDefinition> {
  readonly data: readonly OrdersEvent<D>[];
  /** Where to continue, for `after`. Store it once the events of the page are handled. */
  readonly next_cursor: string;
  /** Whether no later event was known. */
  readonly caught_up: boolean;
}
