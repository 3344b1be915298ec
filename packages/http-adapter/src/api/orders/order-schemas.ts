import {
  CANCEL_REASON_LENGTH_MAX,
  ITEM_NAME_LENGTH_MAX,
  ITEMS_MAX,
  NOTE_LENGTH_MAX,
  type OrderDefinition,
  QUANTITY_MAX,
  REFERENCE_LENGTH_MAX,
  SKU_LENGTH_MAX,
} from '@orders/domain';
import type { PresentedOrder, PresentedOrderVersion } from '@orders/domain/events';
import { Type } from 'typebox';
import { eventTypeName, fieldName, orderStatus, perDefinition, statusSet } from '../definition-schemas.ts';
import {
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
import { ACTOR_EXAMPLE, LINE_ITEM, orderExamples } from './order-examples.ts';

export const Sku = Type.String({ ...TEXT, minLength: 1, maxLength: SKU_LENGTH_MAX });
export const ItemName = Type.String({ ...TEXT, minLength: 1, maxLength: ITEM_NAME_LENGTH_MAX });
export const Quantity = Type.Integer({ format: 'int32', minimum: 1, maximum: QUANTITY_MAX });
export const CustomerId = nullable(Uuid, { title: 'OrderCustomerId', description: 'Id of one of your customers' });
export const Reference = nullable(Type.String({ ...TEXT, minLength: 1, maxLength: REFERENCE_LENGTH_MAX }), {
  title: 'OrderReference',
  description: 'Your identifier of the order; unique among your orders',
});
export const Note = nullable(Type.String({ ...TEXT, maxLength: NOTE_LENGTH_MAX }), {
  title: 'OrderNote',
  description: 'Free text',
});
export const Reason = nullable(Type.String({ ...TEXT, maxLength: CANCEL_REASON_LENGTH_MAX }), {
  description: 'Reason for the cancellation',
});

const LineItem = Type.Object(
  { id: Uuid, sku: Sku, name: ItemName, quantity: Quantity, unit_price: Money, total: Money },
  { title: 'LineItem', description: 'One line of an order; cannot be changed', examples: [LINE_ITEM] },
);

export const LineItemList = pageOf('LineItemList', LineItem);

const ACTOR_LENGTH_MAX = 255;

/** Returns the schemas of the orders of a definition in responses. */
export const orderSchemas = perDefinition((definition) => {
  const { eventTypes, noTimes } = definition;
  const times = Object.keys(noTimes).map((name) => [name, OptionalTimestamp] as const);

  /** The schema of an order, the same in every response. */
  const Order = Type.Object(
    {
      id: Uuid,
      status: orderStatus(definition),
      customer_id: CustomerId,
      reference: Reference,
      items: Type.Array(LineItem, { minItems: 1, maxItems: ITEMS_MAX }),
      total: Money,
      note: Note,
      metadata: Metadata,
      ...customSchemas(definition)?.response,
      cancel_reason: Reason,
      available_transitions: statusSet(definition),
      version: Version,
      created_at: Timestamp,
      updated_at: Timestamp,
      ...Object.fromEntries(times),
    } satisfies SchemasOf<Omit<PresentedOrder<OrderDefinition>, 'custom'>>,
    {
      title: 'Order',
      description: 'An order; every response represents it in this form',
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
      order: orNull([Order]),
    } satisfies SchemasOf<PresentedOrderVersion<OrderDefinition>>,
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
