import { Type } from 'typebox';

const nullable = <T>(schema: T) => Type.Unsafe<unknown>({ ...schema, nullable: true });
const Money = Type.Object({ amount: Type.Integer(), currency: Type.String() });
const UnitPrice = Type.Object(
  { amount: Type.Integer({ minimum: 0, maximum: 10 ** 12 }), currency: Type.String({ pattern: '^[A-Z]{3}$' }) },
  { additionalProperties: false },
);
const NewItem = Type.Object(
  {
    sku: Type.String({ minLength: 1, maxLength: 64 }),
    name: Type.String({ minLength: 1, maxLength: 255 }),
    quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    unit_price: UnitPrice,
  },
  { additionalProperties: false },
);

/** The body of a new order. */
export const NewOrderSchema = Type.Object(
  {
    items: Type.Array(NewItem, { minItems: 1, maxItems: 100 }),
    customer_id: Type.Optional(nullable(Type.String({ format: 'uuid' }))),
    reference: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 64 }))),
    note: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
    metadata: Type.Optional(
      nullable(Type.Record(Type.String({ maxLength: 40 }), Type.String({ maxLength: 500 }), { maxProperties: 50 })),
    ),
  },
  { additionalProperties: false },
);

/** The body of a cancellation. */
export const CancellationSchema = Type.Object(
  { reason: Type.Optional(nullable(Type.String({ maxLength: 500 }))) },
  { additionalProperties: false },
);

const Time = Type.String({ format: 'date-time' });
const Text = nullable(Type.String());

const AnyObject = Type.Object({}, { additionalProperties: true });

/** The schema of an order in a response, which Fastify compiles to a serializer. */
const OrderSchema = Type.Object({
  id: Type.String(),
  status: Type.String(),
  customer_id: Text,
  reference: Text,
  items: Type.Array(
    Type.Object({
      id: Type.String(),
      sku: Type.String(),
      name: Type.String(),
      quantity: Type.Integer(),
      fulfilled_quantity: Type.Integer(),
      cancelled_quantity: Type.Integer(),
      returned_quantity: Type.Integer(),
      unit_price: Money,
      total: Money,
      metadata: AnyObject,
    }),
  ),
  adjustments: Type.Array(AnyObject),
  fulfillments: Type.Array(AnyObject),
  subtotal: Money,
  total: Money,
  external_ids: AnyObject,
  buyer: Type.Null(),
  shipping_address: Type.Null(),
  billing_address: Type.Null(),
  note: Text,
  metadata: AnyObject,
  cancel_reason: Text,
  available_transitions: Type.Array(Type.String()),
  version: Type.Integer(),
  created_at: Time,
  updated_at: Time,
  paid_at: nullable(Time),
  shipped_at: nullable(Time),
  delivered_at: nullable(Time),
  cancelled_at: nullable(Time),
  corrected_at: nullable(Time),
  erased_at: nullable(Time),
});

export const ONE_ORDER = { '2xx': OrderSchema } as const;

export const ORDER_PAGE = {
  '2xx': Type.Object({
    data: Type.Array(OrderSchema),
    page: Type.Object({ limit: Type.Integer(), has_more: Type.Boolean(), next_cursor: Text }),
  }),
} as const;
