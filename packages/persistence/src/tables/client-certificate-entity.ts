import { defineEntity, p } from '@mikro-orm/postgresql';
import { TimestampType } from './timestamp-type.ts';

/** The owner and scopes of all client certificates with one identity. */
export const ClientCertificateEntity = defineEntity({
  name: 'ClientCertificate',
  tableName: 'client_certificates',
  properties: {
    identity: p.text().collation('C').primary(),
    owner_id: p.text(),
    scopes: p.json<readonly string[]>().columnType('json'),
    created_at: p.type(TimestampType),
    revoked_at: p.type(TimestampType).nullable(),
  },
});
