import {
  ITEMS_MAX,
  type OrderChange as OrderChangeInput,
  type OrderDefinition,
  type PlaceOrder,
  UNIT_PRICE_MAX,
} from '@orders/domain';
import { Type } from 'typebox';
import { orderStatus, perDefinition } from '../definition-schemas.ts';
import { Currency, MetadataPatch, NewMetadata, nullable, type SchemasOf } from '../schemas.ts';
import { customSchemas } from './custom-schemas.ts';
import { CustomerId, ItemName, Note, Quantity, Reason, Reference, Sku } from './order-schemas.ts';

const UnitPrice = Type.Object(
  {
    amount: Type.Integer({
      format: 'int64',
      minimum: 0,
      maximum: UNIT_PRICE_MAX,
      description: 'Amount in minor units, such as cents',
    }),
    currency: Currency,
  },
  { title: 'UnitPrice', description: 'Price of one unit', additionalProperties: false },
);

const NewLineItem = Type.Object(
  { sku: Sku, name: ItemName, quantity: Quantity, unit_price: UnitPrice },
  { title: 'NewLineItem', description: 'One line of a new order', additionalProperties: false },
);

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
      customer_id: Type.Optional(CustomerId),
      reference: Type.Optional(Reference),
      note: Type.Optional(Note),
      metadata: Type.Optional(NewMetadata),
      ...custom?.placing,
    } satisfies SchemasOf<Omit<PlaceOrder<OrderDefinition>, 'custom'>>,
    { title: 'NewOrder', description: 'Request body to place an order', additionalProperties: false },
  );

  /** A merge patch of an order. */
  const OrderChange = Type.Object(
    {
      status: Type.Optional(orderStatus(definition)),
      customer_id: Type.Optional(CustomerId),
      reference: Type.Optional(Reference),
      note: Type.Optional(Note),
      metadata: Type.Optional(MetadataPatch),
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

/** The body of a cancellation. */
export const Cancellation = Type.Object(
  { reason: Type.Optional(Reason) },
  { title: 'Cancellation', description: 'Request body to cancel an order', additionalProperties: false },
);
