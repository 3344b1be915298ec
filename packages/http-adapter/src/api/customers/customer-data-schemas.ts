import { COMMENT_LENGTH_MAX } from '@orders/domain';
import { Type } from 'typebox';
import { perDefinition } from '../definition-schemas.ts';
import { orderSchemas } from '../orders/order-schemas.ts';
import { describedUuid, nullable, pageOf, TEXT, Timestamp, Uuid } from '../schemas.ts';
import { Customer } from './customer-schemas.ts';

/** What an operator wrote about an order. */
export const COMMENT = {
  id: Uuid,
  created_at: Timestamp,
  author: Type.String({ ...TEXT, maxLength: 255, description: 'Who wrote it, such as `operator:` and an id' }),
  text: nullable(Type.String({ ...TEXT, minLength: 1, maxLength: COMMENT_LENGTH_MAX }), {
    description: 'Null once it was erased',
  }),
};

const OrderCommentLine = Type.Object(
  { kind: Type.Literal('order_comment'), order_id: describedUuid('The order'), ...COMMENT },
  { title: 'OrderCommentLine', description: 'What those who run the server wrote about an order of the customer' },
);

/** Returns the schema of a page of what is stored of a customer, for orders of a definition. */
export const customerData = perDefinition((definition) => {
  const { Order, OrderVersion } = orderSchemas(definition);
  const { available_transitions: _, ...order } = Order.properties;
  const CustomerLine = Type.Object(
    { kind: Type.Literal('customer'), ...Customer.properties },
    { title: 'CustomerLine', description: 'The customer' },
  );
  const OrderLine = Type.Object(
    { kind: Type.Literal('order'), ...order },
    { title: 'OrderLine', description: 'An order of the customer' },
  );
  const { order: __, ...version } = OrderVersion.properties;
  const OrderVersionLine = Type.Object(
    {
      kind: Type.Literal('order_version'),
      order_id: describedUuid('The order'),
      ...version,
      order: Type.Unsafe<unknown>({ type: ['object', 'null'], description: 'The order at this version, or null' }),
    },
    { title: 'OrderVersionLine', description: 'A version of an order of the customer' },
  );
  return pageOf('CustomerData', Type.Union([CustomerLine, OrderLine, OrderVersionLine, OrderCommentLine]));
});
