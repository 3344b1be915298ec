import type {
  CustomInputOf,
  CustomOf,
  DefaultDefinition,
  Definition,
  EnteredStatusOf,
  IsCustomRequired,
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
/** One line of an order, with what of it is fulfilled, cancelled and returned. */
export type LineItem = Schemas['LineItem'];
/** One charge or reduction of an order. */
export type Adjustment = Schemas['Adjustment'];
/** Items that left together, such as a parcel. */
export type Fulfillment = Schemas['Fulfillment'];
/** A quantity of one item. */
export type ItemQuantity = Schemas['ItemQuantity'];
/** How to follow a parcel. No member is checked by the server, so show `url` as you show any text. */
export type Tracking = Schemas['Tracking'];
/** Who buys. */
export type Buyer = Schemas['Buyer'];
/** A postal address of any country. */
export type Address = Schemas['Address'];
/** Ids of an order in other systems, by system. */
export type ExternalIds = Schemas['ExternalIds'];
/** Texts by your own keys. */
export type Metadata = Schemas['Metadata'];
/** A customer. */
export type Customer = Schemas['Customer'];
/** The input of a new customer. */
export type NewCustomer = Input<Schemas['NewCustomer']>;
/** The input of a search for a customer. */
export type CustomerSearch = Input<Schemas['CustomerSearch']>;
/** A merge patch of a customer (RFC 7396): absent members stay, `null` removes. */
export type CustomerPatch = Input<Schemas['CustomerChange']>;
/** One line of what is stored of a customer, by its `kind`: the customer, an order, or a version or comment of an order. */
export type CustomerDataLine =
  | ({ readonly kind: 'customer' } & Customer)
  | ({ readonly kind: 'order' } & Omit<Schemas['Order'], 'available_transitions'>)
  | ({ readonly kind: 'order_version'; readonly order_id: string; readonly order: object | null } & Omit<
      Schemas['OrderVersion'],
      'order'
    >)
  | Schemas['OrderCommentLine'];
/** The erasure of the person with an email. */
export type EmailErasure = Schemas['EmailErasure'];
/** A URL that receives your events. */
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
/** The delivery of one event to one endpoint. */
export type WebhookDelivery = Schemas['WebhookDelivery'];
/** The result of a test of an endpoint. */
export type WebhookTest = Schemas['WebhookTest'];
/** The input of a rotation. */
export type SecretRotation = Input<Schemas['SecretRotation']>;

/** The input of an adjustment, of which only a tax can be included in the prices. */
type AdjustmentInput<T extends { readonly type: string; readonly included?: boolean | null | undefined }> = Omit<
  T,
  'type' | 'included'
> &
  (
    | { readonly type: Exclude<T['type'], 'tax'>; readonly included?: false | null | undefined }
    | (Pick<T, 'included'> & { readonly type: Extract<T['type'], 'tax'> })
  );

/** An adjustment of a new order. `item` is the index of the item that it belongs to. Nothing is refunded yet. */
export type NewAdjustment = AdjustmentInput<Input<Schemas['NewAdjustment']>>;

/** An adjustment of an existing order. `item_id` is the id of the item that it belongs to. */
export type FurtherAdjustment = AdjustmentInput<Input<Schemas['FurtherAdjustment']>>;

/** Adjustments whose literal amounts have the signs of their types. Other amounts are checked by the server alone. */
export type WithSigns<Adjustments extends readonly NewAdjustment[]> = {
  readonly [Index in keyof Adjustments]: Adjustments[Index] extends {
    readonly type: infer Type;
    readonly amount: { readonly amount: infer Amount extends number };
  }
    ? HasSign<Type, Amount> extends true
      ? Adjustments[Index]
      : { readonly amount: `the amount of a ${Type & string} has the other sign` }
    : Adjustments[Index];
};

type HasSign<Type, Amount extends number> = number extends Amount
  ? true
  : `${Amount}` extends '0'
    ? true
    : `${Amount}` extends `-${string}`
      ? Type extends 'discount' | 'other'
        ? true
        : false
      : Type extends 'discount'
        ? false
        : true;

/** Members of inputs that change an order, and may charge something or give it back at the same time. */
interface WithAdjustments {
  /** Default: nothing. */
  readonly adjustments?: readonly FurtherAdjustment[] | null | undefined;
}

/** What to charge or give back. At least one; a charge is reversed by a further one of the same type. */
export interface OrderAdjustments {
  readonly adjustments: readonly FurtherAdjustment[];
}

/** An adjustment that comes with further items: `item` is the index of one of them, `item_id` the id of another. */
export type AddedAdjustment = AdjustmentInput<Omit<Input<Schemas['AddedAdjustment']>, 'item' | 'item_id'>> &
  (
    | { readonly item?: number | null | undefined; readonly item_id?: null | undefined }
    | { readonly item_id?: string | null | undefined; readonly item?: null | undefined }
  );

/** The items to append to an order. */
export type AddedItems = Omit<Input<Schemas['AddedItems']>, 'adjustments'> & {
  /** Default: nothing. */
  readonly adjustments?: readonly AddedAdjustment[] | null | undefined;
};

/** The input of a fulfillment. Default of `items`: all that is neither fulfilled nor cancelled. */
export type NewFulfillment = Omit<Input<Schemas['NewFulfillment']>, 'adjustments'> & WithAdjustments;

/** The input of a return. */
export type ItemReturn = Omit<Input<Schemas['ItemReturn']>, 'adjustments'> & WithAdjustments;

/** The input of a cancellation: of the whole order, or of `items`. Only the latter can have adjustments. */
export type Cancellation = Omit<Input<Schemas['Cancellation']>, 'items' | 'adjustments'> &
  (
    | { readonly items?: undefined; readonly adjustments?: null | undefined }
    | ({ readonly items: readonly ItemQuantity[] } & WithAdjustments)
  );

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
export type NewOrder<D extends Definition = DefaultDefinition> = Omit<Input<Schemas['NewOrder']>, 'adjustments'> & {
  /** What is charged besides the items, or reduced. Default: nothing. */
  readonly adjustments?: readonly NewAdjustment[] | null | undefined;
} & WithCustom<
    D,
    IsCustomRequired<D> extends true
      ? { readonly custom: CustomInputOf<D> }
      : { readonly custom?: CustomInputOf<D> | null | undefined }
  >;

/** Members of an input of a batch that depend on the definition of the orders. */
type DefinedInput = 'status' | Extract<keyof Schemas['BatchOrder'], `${EnteredStatusOf<DefaultDefinition>}_at`>;

/** The input of an order of another system: what an order has, of which only the items and `id` or `reference` are required. */
export type ImportedOrder<D extends Definition = DefaultDefinition> = Omit<
  Input<Schemas['BatchOrder']>,
  DefinedInput | 'adjustments'
> & {
  /** In the order in which they were made. The type is one that an adjustment can have. */
  readonly adjustments?:
    | readonly (Omit<Input<Schemas['BatchAdjustment']>, 'type'> & { readonly type: string })[]
    | null
    | undefined;
  /** Default: the initial status. */
  readonly status?: StatusOf<D> | null | undefined;
} & { readonly [Status in EnteredStatusOf<D> as `${Status}_at`]?: string | null | undefined } & WithCustom<
    D,
    { readonly custom?: CustomInputOf<D> | null | undefined }
  >;

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
  WithCustom<
    D,
    {
      readonly custom?: MergePatch<CustomInputOf<D>> | (IsCustomRequired<D> extends true ? never : null) | undefined;
    }
  >;

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
  | 'customer.imported'
  | 'customer.changed'
  | 'customer.erased'
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
  /** Types of the events to send. Default: every type except imports. */
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
