import {
  ADJUSTMENT_TYPES,
  ADJUSTMENTS_MAX,
  BATCH_MAX,
  FULFILLMENTS_MAX,
  type ImportedFulfillment,
  type ImportedItem,
  type ImportOrderError,
  type PlaceOrdersError,
  type OrderDefinition,
  ITEMS_MAX,
  IMPORTED_VERSION_MAX,
  QUANTITY_MAX,
} from '@orders/domain';
import { type TSchema, Type } from 'typebox';
import { statusOf } from '../../problems/catalog.ts';
import { problemSchemas } from '../problem-schemas.ts';
import { orderStatus, perDefinition } from '../definition-schemas.ts';
import { Currency, DateTime, nullable, orNull, type SchemasOf, Uuid } from '../schemas.ts';
import { NewTracking, newAdjustment, NewLineItem, orderBodies } from './order-bodies.ts';
import { orderExamples } from './order-examples.ts';
import { orderSchemas, Quantity, Reason } from './order-schemas.ts';

/** Maximum size of a batch, in bytes: 20 KB for each of a hundred orders. */
export const BATCH_BODY_BYTES = 2 * 1024 * 1024;

const optional = (schema: TSchema, description?: string): TSchema =>
  Type.Optional(nullable(schema, description === undefined ? {} : { description }));

/** The problems of an order of a batch besides the refusals of its definition. The compiler requires each. */
const CODES: Readonly<
  Record<Exclude<(PlaceOrdersError<OrderDefinition> | ImportOrderError<OrderDefinition>)['type'], 'refused'>, true>
> = {
  validation_failed: true,
  currency_mismatch: true,
  amount_out_of_range: true,
  negative_total: true,
  adjustment_sign: true,
  idempotency_key_reused: true,
  reference_taken: true,
  id_taken: true,
  customer_erased: true,
  internal_error: true,
  unavailable: true,
};

const total = Type.Optional(
  nullable(
    Type.Object(
      {
        amount: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        currency: Currency,
      },
      { additionalProperties: false },
    ),
    { title: 'StatedTotal', description: 'If it is set, it must be what the parts make' },
  ),
);

const time = Type.Optional(nullable(DateTime, { title: 'ImportedTime', description: 'Not in the future' }));
const id = Type.Optional(nullable(Uuid, { title: 'ImportedId', description: 'Default: a new one' }));
const partialQuantity = Type.Optional(
  nullable(Type.Integer({ format: 'int32', minimum: 0, maximum: QUANTITY_MAX }), { title: 'ImportedQuantity' }),
);
/** The members that refer to an item. */
const ITEM = {
  item: Type.Optional(
    nullable(Type.Integer({ format: 'int32', minimum: 0, maximum: ITEMS_MAX - 1 }), {
      title: 'ItemIndex',
      description: 'Index in `items`',
    }),
  ),
  item_id: id,
};

const BatchItem = Type.Object(
  {
    ...NewLineItem.properties,
    id,
    fulfilled_quantity: partialQuantity,
    cancelled_quantity: partialQuantity,
    returned_quantity: partialQuantity,
    total,
  } satisfies SchemasOf<ImportedItem>,
  { title: 'BatchItem', additionalProperties: false, description: 'A line. Only an import has more than a new one' },
);

const BatchAdjustment = Type.Object(
  {
    ...newAdjustment(ADJUSTMENT_TYPES),
    ...ITEM,
    id,
    created_at: time,
  },
  { title: 'BatchAdjustment', additionalProperties: false, description: 'A charge or reduction' },
);

const ImportedFulfillmentSchema = Type.Object(
  {
    id,
    created_at: time,
    items: Type.Array(
      Type.Object({ ...ITEM, quantity: Quantity }, { title: 'ImportedItemQuantity', additionalProperties: false }),
      { minItems: 1, maxItems: ITEMS_MAX },
    ),
    tracking: Type.Optional(NewTracking),
    cancelled_at: time,
  } satisfies SchemasOf<ImportedFulfillment>,
  { title: 'ImportedFulfillment', additionalProperties: false, description: 'Items that left together' },
);

/** Returns the schemas of a batch of orders of a definition. */
export const orderBatchSchemas = perDefinition((definition) => {
  const { NewOrder } = orderBodies(definition);
  const { items } = orderExamples(definition).NEW_ORDER;
  const BatchOrder = Type.Object(
    {
      ...NewOrder.properties,
      items: Type.Array(BatchItem, { minItems: 1, maxItems: ITEMS_MAX }),
      adjustments: optional(Type.Array(BatchAdjustment, { maxItems: ADJUSTMENTS_MAX })),
      id,
      status: Type.Optional(orNull([orderStatus(definition)], { description: 'Default: the initial one' })),
      cancel_reason: Type.Optional(Reason),
      fulfillments: optional(Type.Array(ImportedFulfillmentSchema, { maxItems: FULFILLMENTS_MAX })),
      subtotal: total,
      total,
      version: optional(Type.Integer({ format: 'int32', minimum: 1, maximum: IMPORTED_VERSION_MAX }), 'Default: 1'),
      created_at: time,
      updated_at: time,
      ...Object.fromEntries(Object.keys(definition.noTimes).map((name) => [name, time])),
      corrected_at: time,
      erased_at: time,
    },
    {
      title: 'BatchOrder',
      additionalProperties: false,
      description: 'A `NewOrder`. An import may have what an `Order` has, and must have its `id` or `reference`',
    },
  );
  const OrderInBatch = Type.Object(
    {
      idempotency_key: Type.Optional(
        Type.String({
          pattern: '^[\\x21-\\x7e]+$',
          minLength: 1,
          maxLength: 255,
          description: 'Required but for an import; each once. The same as the `Idempotency-Key` of placing it alone',
        }),
      ),
      order: BatchOrder,
    },
    { title: 'OrderInBatch', additionalProperties: false, description: 'An order and its key' },
  );
  const NewOrderBatch = Type.Object(
    {
      orders: Type.Array(OrderInBatch, { minItems: 1, maxItems: BATCH_MAX }),
      import: optional(Type.Boolean(), 'Whether the orders are of another system. Requires the scope `orders:import`'),
      as_history: optional(
        Type.Boolean(),
        'Whether imported orders are from before the rules of this server, so that none refuses them',
      ),
    },
    {
      title: 'NewOrderBatch',
      additionalProperties: false,
      description:
        'Orders with at most 1,000 items and adjustments, and 256 KiB of fields, custom data and metadata of items, in all',
    },
  );
  const problems = [
    ...keysOf(CODES).map((code) => [code, statusOf(code, false)] as const),
    ...Object.keys(definition.refusals).map((code) => [code, statusOf('refused', false)] as const),
  ].map(([code, of]) => problemSchemas(definition)[`${of} ${code}`]);
  const status = Type.Integer({ format: 'int32', minimum: 200, maximum: 599, description: 'As of its own request' });
  const PlacedOrder = Type.Object(
    {
      status,
      replayed: Type.Boolean({ description: 'Whether an earlier request has placed or imported it' }),
      order: orderSchemas(definition).Order,
    },
    { title: 'BatchedOrder', description: 'The result of an order that was placed or imported, now or before' },
  );
  const RejectedOrder = Type.Object(
    { status, problem: Type.Unsafe<unknown>({ oneOf: problems }) },
    { title: 'BatchedProblem', description: 'The result of an order that was rejected' },
  );
  const OrderBatch = Type.Object(
    { data: Type.Array(Type.Union([PlacedOrder, RejectedOrder]), { minItems: 1, maxItems: BATCH_MAX }) },
    { title: 'OrderBatch', description: 'The result of each order, in their order' },
  );
  return { NewOrderBatch, OrderBatch, EXAMPLE: { orders: [{ idempotency_key: '7a1b', order: { items } }] } };
});

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): readonly Key[];
function keysOf(record: object): readonly string[] {
  return Object.keys(record);
}
