import type { Timestamp as Time, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import { Type } from 'typebox';
import { newApiKey } from '../../admission/authentication/api-keys.ts';
import { GET } from '../../api/operation.ts';
import { nullable, TEXT, Timestamp } from '../../api/schemas.ts';
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
import { readBody, readLine, type ReadMember, optionalOrNull } from './read-body.ts';

interface StoredKey extends Credential {
  readonly prefix: string;
  readonly expires_at: Time | null;
}

type NewKey = Omit<StoredKey, 'revoked_at' | 'last_used_at'> & { readonly keyHash: string };

/** Stores the API keys of all owners, as `postgresApiKeys(database)` of `@orders/persistence`. */
export interface ApiKeyAdministration {
  insert(key: NewKey, by: Auditing): ResultAsync<void, Unavailable>;
  list(query: CredentialQuery): ResultAsync<readonly StoredKey[], Unavailable>;
  rename(prefix: string, name: string, by: Auditing): ResultAsync<boolean, Unavailable>;
  revoke(prefix: string, at: Time, by: Auditing): ResultAsync<boolean, Unavailable>;
}

/** What operations on API keys use. */
export interface ApiKeyParts {
  readonly apiKeys: ApiKeyAdministration;
  readonly now: () => Date;
}

/** The maximum length of a prefix, which the database does not limit. */
const PREFIX_LENGTH_MAX = 100;

const Prefix = Type.String({ ...TEXT, minLength: 1, maxLength: PREFIX_LENGTH_MAX, description: 'Identifies the key' });
const ExpiresAt = nullable(Timestamp, { description: 'Null for a key that never expires' });
const ApiKey = Type.Object(
  { prefix: Prefix, ...CREDENTIAL, expires_at: ExpiresAt, ...CREDENTIAL_USE },
  { title: 'ApiKeyOfOwner' },
);
const NewApiKey = Type.Object(
  { ...NEW_CREDENTIAL, expires_at: Type.Optional(Timestamp) },
  { title: 'NewApiKey', additionalProperties: false },
);
const CreatedApiKey = Type.Object(
  {
    key: Type.String({ ...TEXT, maxLength: 200, description: 'Shown once, and stored as a hash' }),
    prefix: Prefix,
    ...CREDENTIAL,
    expires_at: ExpiresAt,
  },
  { title: 'CreatedApiKey' },
);

/** Returns the operations on the API keys of owners. */
export function apiKeyOperations({ apiKeys, now }: ApiKeyParts): readonly OperatorOperation[] {
  const readLater: ReadMember<Time> = (input, name, invalid) => {
    const time = invalid.readTimestamp(input, name);
    if (time === undefined || Date.parse(time) > now().getTime()) return time;
    return invalid.add(name, 'out_of_range', 'must be in the future');
  };
  return [
    {
      id: 'list_api_keys',
      summary: 'List API keys',
      description: 'The first 1,000 of the owner in `Orders-Owner`, or of all, the oldest first, also revoked ones.',
      ...GET,
      ...OF_NO_OWNER,
      about: 'owner_or_all',
      path: '/admin/v1/api_keys',
      role: 'admin',
      response: { schema: listOfCredentials(ApiKey, 'ApiKeysOfOwners') },
      handle: (request) =>
        readAction(request).asyncAndThen(() =>
          apiKeys
            .list(listedBy(request))
            .mapErr(toProblem)
            .andThen((rows) => uncached(listed(rows))),
        ),
    },
    {
      id: 'create_api_key',
      summary: 'Create an API key',
      description: 'A key of the owner in `Orders-Owner`. It is shown once. A retry creates another one.',
      method: 'POST',
      ...ADMINISTRATION,
      about: 'owner',
      path: '/admin/v1/api_keys',
      body: {
        ...JSON_BODY,
        schema: NewApiKey,
        examples: { shop: { name: 'web shop', scopes: ['orders:read', 'orders:write'] } },
      },
      response: { schema: CreatedApiKey },
      handle: (request) =>
        readAction(request)
          .andThen(() => readBody(request, { ...readNewCredential, expires_at: optionalOrNull(readLater) }))
          .asyncAndThen((granted) => {
            const { key, prefix, hash } = newApiKey();
            const created = { prefix, owner: ownerOf(request), ...granted, created_at: now().toISOString() };
            return apiKeys
              .insert({ ...created, keyHash: hash }, byOperator(request))
              .mapErr(toProblem)
              .andThen(() => uncached({ key, ...created }));
          }),
    },
    {
      id: 'change_api_key',
      summary: 'Rename or revoke an API key',
      description: 'A server that has cached a revoked key accepts it for 30 more seconds at most.',
      method: 'POST',
      ...ADMINISTRATION,
      path: '/admin/v1/api_key_changes',
      body: {
        ...JSON_BODY,
        schema: credentialChange({ prefix: Prefix }, 'ApiKeyChange'),
        examples: { revoke: { prefix: 'ord_1a2b3c4d5e', revoked: true } },
      },
      status: 204,
      problems: ['not_found'],
      handle: (request) =>
        readAction(request)
          .andThen(() => readBody(request, { prefix: readLine(PREFIX_LENGTH_MAX), ...readCredentialChange }))
          .andThen((change) => changedName(change).map((name) => ({ ...change, name })))
          .asyncAndThen(({ prefix, name }) => {
            const by = byOperator(request);
            return doneOrNotFound(
              name === null ? apiKeys.revoke(prefix, now().toISOString(), by) : apiKeys.rename(prefix, name, by),
            );
          }),
    },
  ];
}
