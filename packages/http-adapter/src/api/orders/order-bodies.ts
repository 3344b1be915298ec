import {
  type AddedAdjustment as AddedAdjustmentInput,
  type AddedItems as AddedItemsInput,
  ADJUSTMENT_TYPES,
  ADJUSTMENTS_MAX,
  type Cancellation as CancellationInput,
  type FurtherAdjustment as FurtherAdjustmentInput,
  type ItemQuantity as ItemQuantityInput,
  type ItemReturn as ItemReturnInput,
  ITEMS_MAX,
  ITEMS_METADATA_BYTES_MAX,
  type NewAdjustment as NewAdjustmentInput,
  type NewLineItem as NewLineItemInput,
  type NewFulfillment as NewFulfillmentInput,
  type NewTracking as NewTrackingInput,
  type OrderChange as OrderChangeInput,
  type OrderDefinition,
  type OrderFields,
  type PlaceOrder,
  UNIT_PRICE_MAX,
} from '@orders/domain';
import { type TSchema, Type } from 'typebox';
import { orderStatus, perDefinition } from '../definition-schemas.ts';
import {
  Currency,
  ESCAPE_BYTES,
  ItemMetadata,
  limitedTogether,
  MetadataPatch,
  NewMetadata,
  nullable,
  type SchemasOf,
} from '../schemas.ts';
import { customSchemas } from './custom-schemas.ts';
import {
  ADDRESS,
  ADJUSTMENT_AMOUNT,
  AdjustmentName,
  BUYER,
  ExternalIdsPatch,
  FIELDS,
  ItemId,
  ItemName,
  Quantity,
  Reason,
  Sku,
  TrackingText,
} from './order-schemas.ts';

const UnitPrice = Type.Object(
  {
    amount: Type.Integer({
      minimum: 0,
      maximum: UNIT_PRICE_MAX,
      description: 'Amount in minor units, such as cents',
    }),
    currency: Currency,
  },
  { title: 'UnitPrice', description: 'Price of one unit', additionalProperties: false },
);

export const NewLineItem = Type.Object(
  {
    sku: Sku,
    name: ItemName,
    quantity: Quantity,
    unit_price: UnitPrice,
    metadata: Type.Optional(
      limitedTogether(
        nullable(ItemMetadata, {
          title: 'NewItemMetadata',
          description: `Your own values by key; of all items at most ${ITEMS_METADATA_BYTES_MAX} bytes as JSON. Must not be personal data`,
        }),
        // The shortest member is `"a":"b",`.
        { bytes: ESCAPE_BYTES * ITEMS_METADATA_BYTES_MAX, values: ITEMS_METADATA_BYTES_MAX / 8 },
      ),
    ),
  } satisfies SchemasOf<NewLineItemInput>,
  { title: 'NewLineItem', description: 'One line to place or add', additionalProperties: false },
);

/** Returns the members of an adjustment in a request. */
export function newAdjustment(types: readonly string[]) {
  return {
    type: Type.String({
      enum: [...types],
      description: 'Determines the sign of the amounts: negative for a discount or refund, any for `other`',
    }),
    name: AdjustmentName,
    amount: Type.Object(ADJUSTMENT_AMOUNT, {
      title: 'NewAdjustmentAmount',
      description: 'Integer amount of either sign, in the currency of the order',
      additionalProperties: false,
    }),
    included: Type.Optional(
      Type.Unsafe<unknown>({
        type: ['boolean', 'null'],
        description: 'Whether the prices contain it already, so that it is not added to the total. Only for a tax',
      }),
    ),
  };
}

const ItemIndex = Type.Optional(
  nullable(Type.Integer({ format: 'int32', minimum: 0, maximum: ITEMS_MAX - 1 }), {
    description: 'Index in `items` of the item that it belongs to. Default: it belongs to the order',
  }),
);

const NewAdjustment = Type.Object(
  {
    ...newAdjustment(ADJUSTMENT_TYPES.filter((type) => type !== 'refund')),
    item: ItemIndex,
  } satisfies SchemasOf<NewAdjustmentInput>,
  { title: 'NewAdjustment', description: 'A charge or reduction of a new order', additionalProperties: false },
);

const FurtherAdjustment = Type.Object(
  {
    ...newAdjustment(ADJUSTMENT_TYPES),
    item_id: Type.Optional(
      nullable(ItemId, { description: 'Id of the item that it belongs to. Default: it belongs to the order' }),
    ),
  } satisfies SchemasOf<FurtherAdjustmentInput>,
  {
    title: 'FurtherAdjustment',
    description: 'A charge or reduction of an existing order. It may reverse one of the same type',
    additionalProperties: false,
  },
);

const AddedAdjustment = Type.Object(
  {
    ...FurtherAdjustment.properties,
    item: ItemIndex,
  } satisfies SchemasOf<AddedAdjustmentInput>,
  {
    title: 'AddedAdjustment',
    description: 'A charge or reduction that comes with further items. It belongs to one of them, or to another item',
    additionalProperties: false,
  },
);

/** Returns the schema of a list of adjustments. */
function adjustments(element: TSchema, minItems: number) {
  return Type.Array(element, {
    minItems,
    maxItems: ADJUSTMENTS_MAX,
    description: 'What is charged besides the items, or given back',
  });
}

const NewBuyer = nullable(Type.Partial(Type.Object(BUYER)), {
  title: 'NewBuyer',
  description: 'Who buys: at least one member, or null',
  additionalProperties: false,
});

const { country, ...addressTexts } = Type.Partial(Type.Object(ADDRESS)).properties;
const newAddress = (title: string, members: Readonly<Record<string, TSchema>>, description: string) =>
  nullable(Type.Object({ ...members }), { title, description, additionalProperties: false });
const NewAddress = newAddress('NewAddress', { ...ADDRESS, ...addressTexts }, 'A postal address of any country');
const AddressPatch = newAddress(
  'AddressPatch',
  { ...addressTexts, country },
  'A text sets a member, null removes it; what results needs a country. Null instead of the object removes the address',
);

const optional = (schemas: SchemasOf<OrderFields>) => Type.Partial(Type.Object({ ...schemas })).properties;

/** Returns the schemas of the bodies of requests for orders of a definition. */
export const orderBodies = perDefinition((definition) => {
  const custom = customSchemas(definition);

  /** The body of a new order. */
  const NewOrder = Type.Object(
    {
      items: Type.Array(NewLineItem, {
        minItems: 1,
        maxItems: ITEMS_MAX,
        description: 'All prices must have the same currency',
      }),
      adjustments: Type.Optional(nullable(adjustments(NewAdjustment, 0))),
      ...optional({
        ...FIELDS,
        external_ids: ExternalIdsPatch,
        buyer: NewBuyer,
        shipping_address: NewAddress,
        billing_address: NewAddress,
        metadata: NewMetadata,
      }),
      ...custom?.placing,
    } satisfies SchemasOf<Omit<PlaceOrder, 'custom'>>,
    { title: 'NewOrder', description: 'Request body to place an order', additionalProperties: false },
  );

  /** A merge patch of an order. */
  const OrderChange = Type.Object(
    {
      status: Type.Optional(orderStatus(definition)),
      ...optional({
        ...FIELDS,
        external_ids: ExternalIdsPatch,
        buyer: NewBuyer,
        shipping_address: AddressPatch,
        billing_address: AddressPatch,
        metadata: MetadataPatch,
      }),
      ...custom?.change,
      cancel_reason: Type.Optional(
        nullable(Reason, {
          description: `Reason for the cancellation; requires \`status: ${definition.cancel}\``,
        }),
      ),
    } satisfies SchemasOf<Omit<OrderChangeInput<OrderDefinition>, 'custom'>>,
    { title: 'OrderChange', additionalProperties: false, description: 'A JSON Merge Patch (RFC 7396)' },
  );

  return { NewOrder, OrderChange };
});

const ItemQuantity = Type.Object({ item_id: ItemId, quantity: Quantity } satisfies SchemasOf<ItemQuantityInput>, {
  title: 'ItemQuantity',
  description: 'A quantity of one item',
  additionalProperties: false,
});

const quantities = (description: string) => Type.Array(ItemQuantity, { minItems: 1, maxItems: ITEMS_MAX, description });

const MoreAdjustments = Type.Optional(nullable(adjustments(FurtherAdjustment, 0)));

/** The body of a cancellation. */
export const Cancellation = Type.Object(
  {
    reason: Type.Optional(Reason),
    items: Type.Optional(quantities('Each item once. Absent: the order is cancelled')),
    adjustments: Type.Optional(
      nullable(adjustments(FurtherAdjustment, 0), { description: 'Charges or reductions; only together with `items`' }),
    ),
  } satisfies SchemasOf<CancellationInput>,
  { title: 'Cancellation', description: 'Request body to cancel an order or items of it', additionalProperties: false },
);

/** The body of adjustments of an order. */
export const OrderAdjustments = Type.Object(
  { adjustments: adjustments(FurtherAdjustment, 1) },
  { title: 'OrderAdjustments', description: 'Request body to adjust an order', additionalProperties: false },
);

/** The body of further items. */
export const AddedItems = Type.Object(
  {
    items: Type.Array(NewLineItem, {
      minItems: 1,
      maxItems: ITEMS_MAX,
      description: 'In the currency of the order, which has at most 100 items afterwards',
    }),
    adjustments: Type.Optional(nullable(adjustments(AddedAdjustment, 0))),
  } satisfies SchemasOf<AddedItemsInput>,
  { title: 'AddedItems', description: 'Request body to add items to an order', additionalProperties: false },
);

/** How to follow a parcel, in a request. */
export const NewTracking = nullable(
  Type.Object(
    {
      carrier: Type.Optional(TrackingText),
      number: Type.Optional(TrackingText),
      url: Type.Optional(TrackingText),
    } satisfies SchemasOf<NewTrackingInput>,
    { additionalProperties: false },
  ),
  { title: 'NewTracking', description: 'How to follow the parcel. No member is checked' },
);

/** The body of a fulfillment. */
export const NewFulfillment = Type.Object(
  {
    items: Type.Optional(quantities('Each item once. Absent: all that is neither fulfilled nor cancelled')),
    tracking: Type.Optional(NewTracking),
    adjustments: MoreAdjustments,
  } satisfies SchemasOf<NewFulfillmentInput>,
  { title: 'NewFulfillment', description: 'Request body to fulfil items', additionalProperties: false },
);

/** The body of a return. */
export const ItemReturn = Type.Object(
  {
    items: quantities('Each item once'),
    reason: Type.Optional(nullable(Reason, { description: 'Reason for the return' })),
    adjustments: MoreAdjustments,
  } satisfies SchemasOf<ItemReturnInput>,
  { title: 'ItemReturn', description: 'Request body to record returned items', additionalProperties: false },
);
