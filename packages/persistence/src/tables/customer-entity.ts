import { defineEntity, p } from '@mikro-orm/postgresql';
import type { Metadata } from '@orders/domain';
import { TimestampType } from './timestamp-type.ts';

/** A customer, to whom orders may refer. */
export const CustomerEntity = defineEntity({
  name: 'Customer',
  tableName: 'customers',
  properties: {
    owner_id: p.text().collation('C').primary(),
    id: p.uuid().primary(),
    email: p.text(),
    email_key: p.text().collation('C'),
    name: p.text().nullable(),
    metadata: p.json<Metadata>().columnType('json'),
    version: p.integer(),
    created_at: p.type(TimestampType),
    updated_at: p.type(TimestampType),
  },
  uniques: [{ name: 'customers_email_unique', properties: ['owner_id', 'email_key'] }],
  indexes: [
    { name: 'customers_created_index', properties: ['owner_id', 'created_at', 'id'] },
    { name: 'customers_updated_index', properties: ['owner_id', 'updated_at', 'id'] },
  ],
});
