import { entity } from './entity.ts';

/** The condition of an erasure by email that is pending, of which there is an index. */
export const IS_PENDING = 'email_key is not null';

/** An erasure by email. */
export const ErasureEntity = entity({
  name: 'Erasure',
  tableName: 'erasures',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    id: p.uuid().primary(),
    /** Null once it is done. */
    email_key: p.text().collation('C').nullable(),
    customer_id: p.uuid().nullable(),
    version: p.integer(),
    created_at: p.timestamp(),
    updated_at: p.timestamp(),
  }),
});

/** An order that was erased by email, which may be deleted. */
export const ErasedOrderEntity = entity({
  name: 'ErasedOrder',
  tableName: 'erased_orders',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    id: p.uuid().primary(),
    erased_at: p.timestamp(),
  }),
});
