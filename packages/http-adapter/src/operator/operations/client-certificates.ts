import type { Timestamp as Time, Unavailable } from '@orders/domain';
import { err, type ResultAsync } from 'neverthrow';
import { Type } from 'typebox';
import {
  CERTIFICATE_IDENTITY_BYTES_MAX,
  certificateIdentityKind,
} from '../../admission/authentication/certificate-identities.ts';
import { GET } from '../../api/operation.ts';
import { TEXT } from '../../api/schemas.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { readAction } from '../../request/request-parameters.ts';
import { ownerOf } from '../../request-state.ts';
import { uncached } from '../../response/responses.ts';
import type { Auditing, OperatorOperation } from '../operator.ts';
import { byOperator } from '../operator-principals.ts';
import {
  changedName,
  type Credential,
  CREDENTIAL,
  CREDENTIAL_USE,
  credentialChange,
  type CredentialQuery,
  listed,
  listedBy,
  listOfCredentials,
  NEW_CREDENTIAL,
  readCredentialChange,
  readNewCredential,
} from './credentials.ts';
import { ADMINISTRATION, doneOrNotFound, JSON_BODY, OF_NO_OWNER } from './operation-kinds.ts';
import { readBody, type ReadMember } from './read-body.ts';

interface StoredMapping extends Credential {
  readonly identity: string;
}

/** Stores the client certificates of all owners, as `postgresClientCertificates(database)` of `@orders/persistence`. */
export interface ClientCertificateAdministration {
  allow(mapping: Omit<StoredMapping, 'revoked_at' | 'last_used_at'>, by: Auditing): ResultAsync<boolean, Unavailable>;
  list(query: CredentialQuery): ResultAsync<readonly StoredMapping[], Unavailable>;
  rename(identity: string, name: string, by: Auditing): ResultAsync<boolean, Unavailable>;
  revoke(identity: string, at: Time, by: Auditing): ResultAsync<boolean, Unavailable>;
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
const ClientCertificate = Type.Object(
  { identity: Identity, ...CREDENTIAL, ...CREDENTIAL_USE },
  { title: 'ClientCertificateOfOwner' },
);
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
  return [
    {
      id: 'list_client_certificates',
      summary: 'List client certificates',
      description: 'The first 1,000 of the owner in `Orders-Owner`, or of all, the oldest first, also revoked ones.',
      ...GET,
      ...OF_NO_OWNER,
      about: 'owner_or_all',
      path: '/admin/v1/client_certificates',
      role: 'admin',
      response: { schema: listOfCredentials(ClientCertificate, 'ClientCertificatesOfOwners') },
      handle: (request) =>
        readAction(request).asyncAndThen(() =>
          clientCertificates
            .list(listedBy(request))
            .mapErr(toProblem)
            .andThen((rows) => uncached(listed(rows))),
        ),
    },
    {
      id: 'allow_client_certificate',
      summary: 'Allow a client certificate',
      description:
        'Certificates with the identity are then those of the owner in `Orders-Owner`. One that is allowed already must be revoked first.',
      method: 'POST',
      ...ADMINISTRATION,
      about: 'owner',
      path: '/admin/v1/client_certificates',
      body: {
        ...JSON_BODY,
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
    {
      id: 'change_client_certificate',
      summary: 'Rename or revoke a client certificate',
      description: 'A server that has cached a revoked one accepts it for 30 more seconds at most.',
      method: 'POST',
      ...ADMINISTRATION,
      path: '/admin/v1/client_certificate_changes',
      body: {
        ...JSON_BODY,
        schema: credentialChange({ identity: Identity }, 'ClientCertificateChange'),
        examples: { revoke: { identity: 'CN=shop,O=Acme', revoked: true } },
      },
      status: 204,
      problems: ['not_found'],
      handle: (request) =>
        readAction(request)
          .andThen(() => readBody(request, { identity: readIdentity, ...readCredentialChange }))
          .andThen((change) => changedName(change).map((name) => ({ ...change, name })))
          .asyncAndThen(({ identity, name }) => {
            const by = byOperator(request);
            return doneOrNotFound(
              name === null
                ? clientCertificates.revoke(identity, now().toISOString(), by)
                : clientCertificates.rename(identity, name, by),
            );
          }),
    },
  ];
}

const TAKEN = toProblem({
  type: 'validation_failed',
  errors: [{ field: 'identity', code: 'taken', message: 'is allowed already' }],
});
