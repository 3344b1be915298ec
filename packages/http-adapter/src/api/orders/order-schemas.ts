import {
  type availableTransitions,
  CANCEL_REASON_LENGTH_MAX,
  CURRENCIES,
  ITEM_NAME_LENGTH_MAX,
  ITEMS_MAX,
  NOTE_LENGTH_MAX,
  type Order as OrderOfDomain,
  ORDER_EVENT_TYPES,
  ORDER_STATUSES,
  type OrderChange as OrderChangeInput,
  type OrderVersion as OrderVersionOfDomain,
  type PlaceOrder,
  QUANTITY_MAX,
  REFERENCE_LENGTH_MAX,
  SKU_LENGTH_MAX,
  UNIT_PRICE_MAX,
} from '@orders/domain';
import { Type } from 'typebox';
import {
  Metadata,
  MetadataPatch,
  Money,
  NewMetadata,
  nullable,
  openEnum,
  OptionalTimestamp,
  orNull,
  pageOf,
  type SchemasOf,
  TEXT,
  Timestamp,
  Uuid,
  Version,
} from '../schemas.ts';

export const OrderStatus = Type.String({
  enum: [...ORDER_STATUSES],
  title: 'OrderStatus',
  description: 'Lifecycle status of the order',
});
const Sku = Type.String({ ...TEXT, minLength: 1, maxLength: SKU_LENGTH_MAX });
const ItemName = Type.String({ ...TEXT, minLength: 1, maxLength: ITEM_NAME_LENGTH_MAX });
const Quantity = Type.Integer({ format: 'int32', minimum: 1, maximum: QUANTITY_MAX });
const CustomerId = nullable(Uuid, { description: 'Id of one of your customers' });
const Reference = nullable(Type.String({ ...TEXT, minLength: 1, maxLength: REFERENCE_LENGTH_MAX }), {
  description: 'Your identifier of the order; unique among your orders',
});
const Note = nullable(Type.String({ ...TEXT, maxLength: NOTE_LENGTH_MAX }), { description: 'Free text' });
const Reason = nullable(Type.String({ ...TEXT, maxLength: CANCEL_REASON_LENGTH_MAX }), {
  description: 'Reason for the cancellation',
});

const LineItem = Type.Object(
  { id: Uuid, sku: Sku, name: ItemName, quantity: Quantity, unit_price: Money, total: Money },
  { title: 'LineItem', description: 'One line of an order; cannot be changed' },
);

/** An order in a response. */
export interface PresentedOrder extends OrderOfDomain {
  readonly available_transitions: ReturnType<typeof availableTransitions>;
}

/** The schema of an order, the same in every response. */
export const Order = Type.Object(
  {
    id: Uuid,
    status: OrderStatus,
    customer_id: CustomerId,
    reference: Reference,
    items: Type.Array(LineItem, { minItems: 1, maxItems: ITEMS_MAX }),
    total: Money,
    note: Note,
    metadata: Metadata,
    cancel_reason: Reason,
    available_transitions: Type.Array(OrderStatus, {
      maxItems: ORDER_STATUSES.length,
      description: 'Statuses that the order can change to',
    }),
    version: Version,
    created_at: Timestamp,
    updated_at: Timestamp,
    paid_at: OptionalTimestamp,
    shipped_at: OptionalTimestamp,
    delivered_at: OptionalTimestamp,
    cancelled_at: OptionalTimestamp,
  } satisfies SchemasOf<PresentedOrder>,
  { title: 'Order', description: 'An order; every response represents it in this form' },
);

/** A version of an order in a response. */
export interface PresentedVersion extends Omit<OrderVersionOfDomain, 'order'> {
  readonly order: PresentedOrder | null;
}

/** The maximum length of the type of a change. */
const TYPE_LENGTH_MAX = 64;
const ACTOR_LENGTH_MAX = 255;

/** The schema of a version of an order. */
export const OrderVersion = Type.Object(
  {
    version: Version,
    type: nullable(
      Type.String({
        ...openEnum(ORDER_EVENT_TYPES),
        pattern: '^[a-z_]+\\.[a-z_]+$',
        maxLength: TYPE_LENGTH_MAX,
      }),
      { description: 'Type of the change; null if it was made before changes were recorded' },
    ),
    changed: Type.Array(Type.String({ pattern: '^[a-z_]+$', maxLength: TYPE_LENGTH_MAX }), {
      title: 'ChangedFields',
      maxItems: Object.keys(Order.properties).length,
      description: 'Names of the changed fields, without `version` and `updated_at`',
    }),
    occurred_at: Timestamp,
    actor: nullable(Type.String({ pattern: '^[\\x20-\\x7e]+$', minLength: 1, maxLength: ACTOR_LENGTH_MAX }), {
      title: 'Actor',
      description:
        'Credential of the change: an API key by its prefix, a client by its id, or a certificate by its SHA-256; null if unknown',
    }),
    order: orNull([Order]),
  } satisfies SchemasOf<PresentedVersion>,
  {
    title: 'OrderVersion',
    description: 'A change and the order after it, which is null for a deletion and once it was erased',
  },
);

export const OrderList = pageOf('OrderList', Order);
export const LineItemList = pageOf('LineItemList', LineItem);
export const OrderVersionList = pageOf('OrderVersionList', OrderVersion);

/** The body of a new order. */
export const NewOrder = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          sku: Sku,
          name: ItemName,
          quantity: Quantity,
          unit_price: Type.Object(
            {
              amount: Type.Integer({
                format: 'int64',
                minimum: 0,
                maximum: UNIT_PRICE_MAX,
                description: 'Amount in minor units, such as cents',
              }),
              currency: Type.String({ enum: [...CURRENCIES], description: 'ISO 4217 code' }),
            },
            { title: 'UnitPrice', description: 'Price of one unit', additionalProperties: false },
          ),
        },
        { title: 'NewLineItem', description: 'One line of a new order', additionalProperties: false },
      ),
      { minItems: 1, maxItems: ITEMS_MAX, description: 'All prices must have the same currency' },
    ),
    customer_id: Type.Optional(CustomerId),
    reference: Type.Optional(Reference),
    note: Type.Optional(Note),
    metadata: Type.Optional(NewMetadata),
  } satisfies SchemasOf<PlaceOrder>,
  { title: 'NewOrder', description: 'Request body to place an order', additionalProperties: false },
);

/** A merge patch of an order. */
export const OrderChange = Type.Object(
  {
    status: Type.Optional(OrderStatus),
    customer_id: Type.Optional(CustomerId),
    reference: Type.Optional(Reference),
    note: Type.Optional(Note),
    metadata: Type.Optional(MetadataPatch),
    cancel_reason: Type.Optional(
      nullable(Reason, { description: 'Reason for the cancellation; requires `status: cancelled`' }),
    ),
  } satisfies SchemasOf<OrderChangeInput>,
  { title: 'OrderChange', additionalProperties: false, description: 'A JSON Merge Patch (RFC 7396)' },
);

/** The body of a cancellation. */
export const Cancellation = Type.Object(
  { reason: Type.Optional(Reason) },
  { title: 'Cancellation', description: 'Request body to cancel an order', additionalProperties: false },
);

const EUR = (amount: number) => ({ amount, currency: 'EUR' });

export const NEW_ORDER = {
  items: [{ sku: 'MUG-330', name: 'Mug 330 ml', quantity: 2, unit_price: EUR(1299) }],
  reference: 'PO-2026-0417',
  note: 'Leave it with the neighbour',
  metadata: { channel: 'web' },
};

const [NEW_ITEM] = NEW_ORDER.items;

export const LINE_ITEM = { id: '019b2a4e-8f00-7000-8000-0000000000a1', ...NEW_ITEM, total: EUR(2598) };

export const ORDER = {
  id: '019b2a4e-8f00-7000-8000-000000000001',
  status: 'pending',
  customer_id: null,
  reference: NEW_ORDER.reference,
  items: [LINE_ITEM],
  total: EUR(2598),
  note: NEW_ORDER.note,
  metadata: NEW_ORDER.metadata,
  cancel_reason: null,
  available_transitions: ['paid', 'cancelled'],
  version: 1,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
  paid_at: null,
  shipped_at: null,
  delivered_at: null,
  cancelled_at: null,
};

export const PLACED_VERSION = {
  version: 1,
  type: 'order.placed',
  changed: [],
  occurred_at: ORDER.created_at,
  actor: 'api_key:ord_3f9c0a51d2',
  order: ORDER,
};

const LATER = '2026-01-03T08:00:00.000Z';

export const DELETED_VERSION = {
  ...PLACED_VERSION,
  version: 2,
  type: 'order.deleted',
  occurred_at: LATER,
  order: null,
};

export const PAID_ORDER = {
  ...ORDER,
  status: 'paid',
  available_transitions: ['shipped', 'cancelled'],
  version: 2,
  updated_at: LATER,
  paid_at: LATER,
};

export const CANCELLED_ORDER = {
  ...ORDER,
  status: 'cancelled',
  cancel_reason: 'The customer changed their mind',
  available_transitions: [],
  version: 2,
  updated_at: LATER,
  cancelled_at: LATER,
};
