import type { Timestamp as Time, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import { Type } from 'typebox';
import { newApiKey } from '../../admission/authentication/api-keys.ts';
import { nullable, TEXT, Timestamp } from '../../api/schemas.ts';
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
import { readBody, readLine, type ReadMember, optionalOrNull } from './read-body.ts';

interface StoredKey extends Credential {
  readonly prefix: string;
  readonly expires_at: Time | null;
}

type NewKey = Omit<StoredKey, 'revoked_at' | 'last_used_at'> & { readonly keyHash: string };

/** Stores the API keys of all owners, as `postgresApiKeys(database)` of `@orders/persistence`. */
export interface ApiKeyAdministration extends CredentialStore<StoredKey> {
  insert(key: NewKey, by: Auditing): ResultAsync<void, Unavailable>;
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
  return credentialOperations({
    name: 'api_key',
    words: 'API key',
    title: 'ApiKey',
    id: 'prefix',
    schema: Prefix,
    read: readLine(PREFIX_LENGTH_MAX),
    example: 'ord_1a2b3c4d5e',
    own: { expires_at: ExpiresAt },
    store: apiKeys,
    now,
    create: {
      id: 'create_api_key',
      summary: 'Create an API key',
      description: 'A key of the owner in `Orders-Owner`. It is shown once. A retry creates another one.',
      body: {
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
  });
}
