import type { Owner, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database.ts';
import { withEntityManager } from '../shared/with-entity-manager.ts';

/** An endpoint and its owner. */
export interface EndpointOfSigningKey {
  readonly owner: Owner;
  readonly id: string;
}

/** Maximum number of endpoints that one query returns. */
const ENDPOINTS_MAX = 1000;

const ENDPOINTS_OF_KEY = `
  select owner_id as owner, id from webhook_endpoints
  where exists (select from json_array_elements(secrets) as secret where secret ->> 'key' = ?)
  order by owner_id, id limit ${ENDPOINTS_MAX}`;

/** Reads all endpoints of all owners, so it is for the start of a server. */
const KEYS_IN_USE = `
  select distinct secret ->> 'key' as key
  from webhook_endpoints, json_array_elements(secrets) as secret
  where secret ->> 'expires_at' is null or (secret ->> 'expires_at')::timestamptz > now()`;

/** Returns the fingerprints of the signing keys that unexpired secrets of webhook endpoints refer to, sorted. */
export function signingKeysInUse(database: OrdersDatabase): ResultAsync<readonly string[], Unavailable> {
  return withEntityManager(database.orm, async (em) => {
    const rows = await em.execute<readonly { readonly key: string }[]>(KEYS_IN_USE);
    return rows.map(({ key }) => key).toSorted();
  });
}

/**
 * Returns endpoints with a secret that refers to the signing key with this fingerprint, expired ones included, at most 1000.
 * It reads the endpoints of all owners, so it is for administrators.
 */
export function endpointsOfSigningKey(
  database: OrdersDatabase,
  fingerprint: string,
): ResultAsync<readonly EndpointOfSigningKey[], Unavailable> {
  return withEntityManager(database.orm, (em) => em.execute<EndpointOfSigningKey[]>(ENDPOINTS_OF_KEY, [fingerprint]));
}
