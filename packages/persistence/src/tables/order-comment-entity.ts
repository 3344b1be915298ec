import { entity } from './entity.ts';

/** What an operator wrote about an order. */
export const OrderCommentEntity = entity({
  name: 'OrderComment',
  tableName: 'order_comments',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    order_id: p.uuid().primary(),
    id: p.uuid().primary(),
    created_at: p.timestamp(),
    author: p.text(),
    text: p.text().nullable(),
    key: p.text().collation('C').nullable(),
  }),
});
