import type { Metadata } from '@orders/domain';
import { entity } from './entity.ts';

/** How far an erasure is. One that was done before, and is pending again, is `repeated`. */
export type StoredErasure = 'pending' | 'repeated' | 'done';

/** The condition of an erasure that is pending, of which there is an index. */
export const IS_ERASING = `erasure in ('pending', 'repeated')`;

/** A customer, to whom orders may refer. */
export const CustomerEntity = entity({
  name: 'Customer',
  tableName: 'customers',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    id: p.uuid().primary(),
    email: p.text().nullable(),
    email_key: p.text().collation('C').nullable(),
    name: p.text().nullable(),
    metadata: p.json<Metadata>().columnType('json'),
    version: p.integer(),
    created_at: p.timestamp(),
    updated_at: p.timestamp(),
    erased_at: p.timestamp().nullable(),
    erasure: p.text().$type<StoredErasure>().nullable(),
    erasure_requested_at: p.timestamp().nullable(),
  }),
});
