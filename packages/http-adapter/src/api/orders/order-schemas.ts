import {
  type Address as AddressOfDomain,
  ADDRESS_MEMBERS,
  type Adjustment as AdjustmentOfDomain,
  ADJUSTMENT_AMOUNT_MAX,
  ADJUSTMENT_NAME_LENGTH_MAX,
  ADJUSTMENT_TYPES,
  ADJUSTMENTS_MAX,
  type Buyer as BuyerOfDomain,
  BUYER_MEMBERS,
  COUNTRIES,
  EXTERNAL_ID_LENGTH_MAX,
  EXTERNAL_IDS_MAX,
  type Fulfillment as FulfillmentOfDomain,
  FULFILLMENTS_MAX,
  type LineItem as LineItemOfDomain,
  REASON_LENGTH_MAX,
  ITEM_NAME_LENGTH_MAX,
  ITEMS_MAX,
  NOTE_LENGTH_MAX,
  type OrderDefinition,
  type OrderFields,
  type PresentedOrder,
  type PresentedOrderVersion,
  QUANTITY_MAX,
  REFERENCE_LENGTH_MAX,
  SKU_LENGTH_MAX,
  SYSTEM_LENGTH_MAX,
  SYSTEM_PATTERN,
  SYSTEMS_PATCH_MAX,
  type TextMember,
  type Tracking as TrackingOfDomain,
  TRACKING_LENGTH_MAX,
  WITHDRAWN_COUNTRIES,
} from '@orders/domain';
import { type TSchema, Type } from 'typebox';
import { eventTypeName, fieldName, orderStatus, perDefinition, statusSet } from '../definition-schemas.ts';
import {
  Currency,
  CHARACTER_BYTES,
  describedUuid,
  Email,
  EXTERNAL_USER_ID,
  ItemMetadata,
  limitedTogether,
  Metadata,
  Money,
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
import { customSchemas } from './custom-schemas.ts';
import { EXTERNAL_USER_ID_HEADER } from '../../request/request-faults.ts';
import { ACTOR_EXAMPLE, EXTERNAL_USER_ID_EXAMPLE, LINE_ITEM, orderExamples } from './order-examples.ts';

export const Sku = Type.String({ ...TEXT, minLength: 1, maxLength: SKU_LENGTH_MAX });
export const ItemName = Type.String({ ...TEXT, minLength: 1, maxLength: ITEM_NAME_LENGTH_MAX });
export const Quantity = Type.Integer({ format: 'int32', minimum: 1, maximum: QUANTITY_MAX });

/** Returns the schemas of the texts of an object: nullable ones, unless `schemas` has another. */
function textsOf<Name extends string>(
  members: Readonly<Record<Name, TextMember>>,
  schemas: Readonly<Record<string, TSchema>>,
): Record<Name, TSchema>;
function textsOf(members: Readonly<Record<string, TextMember>>, schemas: Readonly<Record<string, TSchema>>): unknown {
  return Object.fromEntries(
    Object.entries(members).map(([name, { min, max }]) => [
      name,
      schemas[name] ?? nullable(Type.String({ ...TEXT, minLength: min, maxLength: max })),
    ]),
  );
}

/** The members of a buyer. */
export const BUYER = textsOf(BUYER_MEMBERS, { email: nullable(Email, { description: 'Kept as sent' }) });
const Buyer = Type.Object(BUYER satisfies SchemasOf<BuyerOfDomain>, {
  title: 'Buyer',
  description: 'Who buys, independent of the customer; personal data',
});

const Country = Type.String({
  title: 'Country',
  ...openEnum([...COUNTRIES, ...WITHDRAWN_COUNTRIES].toSorted()),
  pattern: '^[A-Z]{2}$',
  maxLength: 2,
  description: 'ISO 3166-1 alpha-2 code, or XK. One that is withdrawn, such as AN, only in imported orders',
});
/** The members of an address. */
export const ADDRESS = textsOf(ADDRESS_MEMBERS, { country: Country });
const Address = Type.Object(ADDRESS satisfies SchemasOf<AddressOfDomain>, {
  title: 'Address',
  description: 'A postal address of any country; personal data',
});

const SYSTEM = { type: 'string', pattern: `^${SYSTEM_PATTERN}$`, minLength: 1, maxLength: SYSTEM_LENGTH_MAX };
const EXTERNAL_IDS_OF_A_SYSTEM = {
  type: 'array',
  items: Type.String({ ...TEXT, minLength: 1, maxLength: EXTERNAL_ID_LENGTH_MAX }),
  maxItems: EXTERNAL_IDS_MAX,
};
const ExternalIds = Type.Object(
  {},
  {
    title: 'ExternalIds',
    description: `Ids of the order in other systems, by system; at most ${EXTERNAL_IDS_MAX} in all. Must not be personal data`,
    examples: [{ stripe: ['pi_3Nk1'], erp: ['4711'] }],
    additionalProperties: Type.Unsafe<unknown>({ ...EXTERNAL_IDS_OF_A_SYSTEM, minItems: 1 }),
    maxProperties: EXTERNAL_IDS_MAX,
    propertyNames: SYSTEM,
  },
);
/** External ids in a request, where a new order has what a merge patch makes of none. */
export const ExternalIdsPatch = Type.Unsafe<unknown>({
  type: ['object', 'null'],
  title: 'ExternalIdsPatch',
  description: 'A list sets the ids of a system; null or an empty one removes them',
  additionalProperties: limitedTogether(
    Type.Unsafe<unknown>({ ...EXTERNAL_IDS_OF_A_SYSTEM, type: ['array', 'null'] }),
    {
      bytes:
        EXTERNAL_IDS_MAX * (CHARACTER_BYTES * EXTERNAL_ID_LENGTH_MAX + '"",'.length) + SYSTEMS_PATCH_MAX * '[]'.length,
      values: EXTERNAL_IDS_MAX,
    },
  ),
  maxProperties: SYSTEMS_PATCH_MAX,
  propertyNames: SYSTEM,
});

/** The fields that clients set. */
export const FIELDS = {
  customer_id: nullable(Uuid, { title: 'OrderCustomerId', description: 'Id of one of your customers' }),
  reference: nullable(Type.String({ ...TEXT, minLength: 1, maxLength: REFERENCE_LENGTH_MAX }), {
    title: 'OrderReference',
    description: 'Your identifier of the order; unique among your orders',
  }),
  external_ids: ExternalIds,
  buyer: orNull([Buyer]),
  shipping_address: orNull([Address]),
  billing_address: orNull([Address]),
  note: nullable(Type.String({ ...TEXT, maxLength: NOTE_LENGTH_MAX }), {
    title: 'OrderNote',
    description: 'Free text',
  }),
  metadata: Metadata,
} satisfies SchemasOf<OrderFields>;
export const Reason = nullable(Type.String({ ...TEXT, maxLength: REASON_LENGTH_MAX }), {
  description: 'Reason for the cancellation',
});

export const ItemId = describedUuid('Id of an item of the order');
export const AdjustmentName = Type.String({ ...TEXT, minLength: 1, maxLength: ADJUSTMENT_NAME_LENGTH_MAX });
/** The amount of money of an adjustment. */
export const ADJUSTMENT_AMOUNT = {
  amount: Type.Integer({
    minimum: -ADJUSTMENT_AMOUNT_MAX,
    maximum: ADJUSTMENT_AMOUNT_MAX,
    description: 'Amount in minor units, such as cents; negative if it is given back',
  }),
  currency: Currency,
};
/** A member of what follows a parcel. */
export const TrackingText = nullable(Type.String({ ...TEXT, maxLength: TRACKING_LENGTH_MAX }));

function partialQuantity(description: string) {
  return Type.Integer({ format: 'int32', minimum: 0, maximum: QUANTITY_MAX, description });
}

const LineItem = Type.Object(
  {
    id: Uuid,
    sku: Sku,
    name: ItemName,
    quantity: Quantity,
    fulfilled_quantity: partialQuantity('How much of `quantity` was fulfilled'),
    cancelled_quantity: partialQuantity('How much of `quantity` was cancelled'),
    returned_quantity: partialQuantity('How much of `fulfilled_quantity` was returned'),
    unit_price: Money,
    total: Money,
    metadata: ItemMetadata,
  } satisfies SchemasOf<LineItemOfDomain>,
  {
    title: 'LineItem',
    description: 'One line of an order. Its `total` is for what is not cancelled',
    examples: [LINE_ITEM],
  },
);

export const Adjustment = Type.Object(
  {
    id: Uuid,
    type: Type.String({ ...openEnum(ADJUSTMENT_TYPES), pattern: '^[a-z_]+$', maxLength: 64 }),
    name: AdjustmentName,
    amount: Type.Object(ADJUSTMENT_AMOUNT, { title: 'AdjustmentAmount', description: 'Integer amount of either sign' }),
    item_id: nullable(Uuid, { description: 'Item that it belongs to; null if it belongs to the order' }),
    included: Type.Boolean({ description: 'Whether the prices contain the tax, so that it is not added to the total' }),
    created_at: Timestamp,
  } satisfies SchemasOf<AdjustmentOfDomain>,
  { title: 'Adjustment', description: 'A charge besides the items, or a reduction; cannot be changed' },
);

export const Fulfillment = Type.Object(
  {
    id: Uuid,
    created_at: Timestamp,
    items: Type.Array(
      Type.Object(
        { item_id: ItemId, quantity: Quantity },
        { title: 'FulfilledItem', description: 'A quantity of one item' },
      ),
      { minItems: 1, maxItems: ITEMS_MAX },
    ),
    tracking: orNull([
      Type.Object(
        { carrier: TrackingText, number: TrackingText, url: TrackingText } satisfies SchemasOf<TrackingOfDomain>,
        { title: 'Tracking', description: 'How to follow a parcel, as it was sent' },
      ),
    ]),
    cancelled_at: OptionalTimestamp,
  } satisfies SchemasOf<FulfillmentOfDomain>,
  { title: 'Fulfillment', description: 'Items that left together. It changes only by its cancellation' },
);

export const LineItemList = pageOf('LineItemList', LineItem);

const ACTOR_LENGTH_MAX = 255;

/** Returns the schemas of the orders of a definition in responses. */
export const orderSchemas = perDefinition((definition) => {
  const { eventTypes, noTimes } = definition;
  const { note, metadata, ...fields } = FIELDS;
  const times = Object.keys(noTimes).map((name) => [name, OptionalTimestamp] as const);

  /** The schema of an order, the same in every response. */
  const Order = Type.Object(
    {
      id: Uuid,
      status: orderStatus(definition),
      ...fields,
      items: Type.Array(LineItem, { minItems: 1, maxItems: ITEMS_MAX }),
      adjustments: Type.Array(Adjustment, { maxItems: ADJUSTMENTS_MAX, description: 'In the order of their addition' }),
      fulfillments: Type.Array(Fulfillment, {
        maxItems: FULFILLMENTS_MAX,
        description: 'In the order of their creation',
      }),
      subtotal: Money,
      total: Money,
      note,
      metadata,
      ...customSchemas(definition)?.response,
      cancel_reason: Reason,
      available_transitions: statusSet(definition),
      version: Version,
      created_at: Timestamp,
      updated_at: Timestamp,
      ...Object.fromEntries(times),
      corrected_at: OptionalTimestamp,
      erased_at: OptionalTimestamp,
    } satisfies SchemasOf<Omit<PresentedOrder<OrderDefinition>, 'custom'>>,
    {
      title: 'Order',
      description:
        'An order; every response represents it in this form. `subtotal` is the sum of the totals of the items, and `total` adds the adjustments that are not `included`',
      examples: [orderExamples(definition).ORDER],
    },
  );

  /** The schema of a version of an order. */
  const OrderVersion = Type.Object(
    {
      version: Version,
      type: nullable(Type.String({ ...openEnum(eventTypes), ...eventTypeName(definition) }), {
        description: 'Type of the change; null if it was made before changes were recorded',
        examples: ['order.placed'],
      }),
      changed: Type.Array(Type.String(fieldName(definition)), {
        title: 'ChangedFields',
        maxItems: Object.keys(Order.properties).length,
        description: 'Names of the changed fields, without `version` and `updated_at`',
        examples: [[]],
      }),
      occurred_at: Timestamp,
      actor: nullable(Type.String({ pattern: '^[\\x20-\\x7e]+$', minLength: 1, maxLength: ACTOR_LENGTH_MAX }), {
        title: 'Actor',
        description:
          'Credential of the change: an API key by its prefix, a client by its id, or a certificate by its SHA-256; null if unknown',
        examples: [ACTOR_EXAMPLE],
      }),
      external_user_id: nullable(Type.Unsafe<string>(EXTERNAL_USER_ID), {
        title: 'ExternalUserId',
        description: `The \`${EXTERNAL_USER_ID_HEADER}\` of the request; null without one, and once it was erased`,
        examples: [EXTERNAL_USER_ID_EXAMPLE],
      }),
      reason: nullable(Type.String({ ...TEXT, maxLength: REASON_LENGTH_MAX }), {
        description: 'Reason of cancelled or returned items, or of a correction; otherwise null',
      }),
      order: orNull([Order]),
    } satisfies SchemasOf<PresentedOrderVersion>,
    {
      title: 'OrderVersion',
      description: 'A change and the order after it, which is null for a deletion and once it was erased',
    },
  );

  return {
    Order,
    OrderVersion,
    OrderList: pageOf('OrderList', Order),
    OrderVersionList: pageOf('OrderVersionList', OrderVersion),
  };
});
