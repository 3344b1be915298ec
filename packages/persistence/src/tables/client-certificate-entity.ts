import { entity } from './entity.ts';

/** The owner and scopes of all client certificates with one identity. */
export const ClientCertificateEntity = entity({
  name: 'ClientCertificate',
  tableName: 'client_certificates',
  properties: (p) => ({
    identity: p.text().collation('C').primary(),
    owner_id: p.text(),
    scopes: p.json<readonly string[]>().columnType('json'),
    created_at: p.timestamp(),
    revoked_at: p.timestamp().nullable(),
    name: p.text().nullable(),
    last_used_at: p.timestamp().nullable(),
  }),
});

/** The hexadecimal digits of its identity's SHA-256 in the actor of a certificate. */
export const CERTIFICATE_DIGITS = 16;
