import { defineEntity, p } from '@mikro-orm/postgresql';
import { TimestampType } from './timestamp-type.ts';

/** An API key, stored only as a hash. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    key_hash: p.text().collation('C').primary(),
    prefix: p.text().collation('C'),
    owner_id: p.text(),
    scopes: p.json<readonly string[]>().columnType('json'),
    created_at: p.type(TimestampType),
    expires_at: p.type(TimestampType).nullable(),
    revoked_at: p.type(TimestampType).nullable(),
  },
  uniques: [{ name: 'api_keys_prefix_unique', properties: ['prefix'] }],
});
