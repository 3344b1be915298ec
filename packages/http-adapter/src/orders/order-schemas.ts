import { ORDER_STATUSES } from '@orders/domain';
import { Type } from 'typebox';

const nullable = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

const MoneySchema = Type.Object({
  amount: Type.Integer({ description: 'Minor units of the currency' }),
  currency: Type.String({ description: 'ISO 4217 code' }),
});

/** One line of an order, as it is answered. */
const LineItemSchema = Type.Object({
  id: Type.String(),
  sku: Type.String(),
  name: Type.String(),
  quantity: Type.Integer(),
  unit_price: MoneySchema,
  total: MoneySchema,
});

/** An order, the same wherever it is answered. */
export const OrderSchema = Type.Object({
  id: Type.String(),
  status: Type.String({ enum: [...ORDER_STATUSES] }),
  customer_id: nullable('A customer of the same owner'),
  reference: nullable('The name that the client gave the order'),
  items: Type.Array(LineItemSchema),
  total: MoneySchema,
  note: nullable('Free text'),
  // Not a Record: its pattern misses keys with a line break.
  metadata: Type.Object({}, { additionalProperties: Type.String() }),
  cancel_reason: nullable('Why the order was cancelled'),
  available_transitions: Type.Array(Type.String(), { description: 'What the order may become now' }),
  version: Type.Integer(),
  created_at: Type.String(),
  updated_at: Type.String(),
  paid_at: nullable('When the order was paid'),
  shipped_at: nullable('When the order was shipped'),
  delivered_at: nullable('When the order was delivered'),
  cancelled_at: nullable('When the order was cancelled'),
});

const PageSchema = Type.Object({
  limit: Type.Integer(),
  offset: Type.Optional(Type.Integer()),
  has_more: Type.Boolean(),
  next_cursor: nullable('Where the next page begins'),
});

export const OrderListSchema = Type.Object({ data: Type.Array(OrderSchema), page: PageSchema });
export const LineItemListSchema = Type.Object({ data: Type.Array(LineItemSchema), page: PageSchema });
