import type { Unavailable } from '@orders/domain';
import { err, type ResultAsync } from 'neverthrow';
import { Type } from 'typebox';
import {
  CERTIFICATE_IDENTITY_BYTES_MAX,
  certificateIdentityKind,
} from '../../admission/authentication/certificate-identities.ts';
import { TEXT } from '../../api/schemas.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { readAction } from '../../request/request-parameters.ts';
import { ownerOf } from '../../request-state.ts';
import { uncached } from '../../response/responses.ts';
import type { Auditing, OperatorOperation } from '../operator.ts';
import { byOperator } from '../operator-principals.ts';
import {
  type Credential,
  CREDENTIAL,
  credentialOperations,
  type CredentialStore,
  NEW_CREDENTIAL,
  readNewCredential,
} from './credentials.ts';
import { readBody, type ReadMember } from './read-body.ts';

interface StoredMapping extends Credential {
  readonly identity: string;
}

/** Stores the client certificates of all owners, as `postgresClientCertificates(database)` of `@orders/persistence`. */
export interface ClientCertificateAdministration extends CredentialStore<StoredMapping> {
  allow(mapping: Omit<StoredMapping, 'revoked_at' | 'last_used_at'>, by: Auditing): ResultAsync<boolean, Unavailable>;
}

/** What operations on client certificates use. */
export interface ClientCertificateParts {
  readonly clientCertificates: ClientCertificateAdministration;
  readonly now: () => Date;
}

const Identity = Type.String({
  ...TEXT,
  minLength: 1,
  maxLength: CERTIFICATE_IDENTITY_BYTES_MAX,
  description: 'The subject as in RFC 4514, or a URI of the subjectAltName; at most 2,000 bytes',
});
const NewClientCertificate = Type.Object(
  { identity: Identity, ...NEW_CREDENTIAL },
  { title: 'NewClientCertificate', additionalProperties: false },
);
const AllowedClientCertificate = Type.Object(
  { identity: Identity, ...CREDENTIAL },
  { title: 'AllowedClientCertificate' },
);

const readIdentity: ReadMember<string> = (input, name, invalid) => {
  if (typeof input !== 'string' || certificateIdentityKind(input) === undefined)
    return invalid.add(name, 'invalid_format', 'must be a subject such as CN=shop,O=Acme, or an absolute URI');
  if (Buffer.byteLength(input) <= CERTIFICATE_IDENTITY_BYTES_MAX) return input;
  return invalid.add(name, 'too_long', `must have at most ${CERTIFICATE_IDENTITY_BYTES_MAX} bytes`);
};

/** Returns the operations on the client certificates of owners. */
export function clientCertificateOperations({
  clientCertificates,
  now,
}: ClientCertificateParts): readonly OperatorOperation[] {
  return credentialOperations({
    name: 'client_certificate',
    words: 'client certificate',
    title: 'ClientCertificate',
    id: 'identity',
    schema: Identity,
    read: readIdentity,
    example: 'CN=shop,O=Acme',
    store: clientCertificates,
    now,
    create: {
      id: 'allow_client_certificate',
      summary: 'Allow a client certificate',
      description:
        'Certificates with the identity are then those of the owner in `Orders-Owner`. One that is allowed already must be revoked first.',
      body: {
        schema: NewClientCertificate,
        examples: { shop: { identity: 'CN=shop,O=Acme', scopes: ['orders:read'] } },
      },
      response: { schema: AllowedClientCertificate },
      handle: (request) =>
        readAction(request)
          .andThen(() => readBody(request, { identity: readIdentity, ...readNewCredential }))
          .asyncAndThen((granted) => {
            const allowed = { ...granted, owner: ownerOf(request), created_at: now().toISOString() };
            return clientCertificates
              .allow(allowed, byOperator(request))
              .mapErr(toProblem)
              .andThen((isNew) => (isNew ? uncached(allowed) : err(TAKEN)));
          }),
    },
  });
}

const TAKEN = toProblem({
  type: 'validation_failed',
  errors: [{ field: 'identity', code: 'taken', message: 'is allowed already' }],
});
