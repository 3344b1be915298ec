import { entity } from './entity.ts';

/** An API key, stored only as a hash. */
export const ApiKeyEntity = entity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: (p) => ({
    key_hash: p.text().collation('C').primary(),
    prefix: p.text().collation('C'),
    owner_id: p.text(),
    scopes: p.json<readonly string[]>().columnType('json'),
    created_at: p.timestamp(),
    expires_at: p.timestamp().nullable(),
    revoked_at: p.timestamp().nullable(),
    name: p.text().nullable(),
    last_used_at: p.timestamp().nullable(),
  }),
});
