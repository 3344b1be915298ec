import type { Owner, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { aboutOwners, among } from '../owners/living-owners.ts';
import { type OwnerStepOptions, OwnerWalk } from '../owners/owner-walk.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { inSchema } from '../tables/schema.ts';
import { withEntityManager } from '../tables/with-entity-manager.ts';

/** An endpoint and its owner. */
export interface EndpointOfSigningKey {
  readonly owner: Owner;
  readonly id: string;
}

/** Maximum number of endpoints that one query returns. */
const ENDPOINTS_MAX = 1000;

const ENDPOINTS_OF_KEY = `
  select owner_id as owner, id from our.webhook_endpoints
  where exists (select from json_array_elements(secrets) as secret where secret ->> 'key' = ?)
  order by owner_id, id limit ${ENDPOINTS_MAX}`;

/**
 * Returns the fingerprints of the signing keys that unexpired secrets of webhook endpoints refer to, sorted. It reads all
 * endpoints of all owners, so it is for the start of a server. While a node of Citus is down, it reads those of the others.
 */
export function signingKeysInUse(
  database: OrdersDatabase,
  options: Pick<OwnerStepOptions, 'onNodeDown'> = {},
): ResultAsync<readonly string[], Unavailable> {
  const { orm, primary } = database;
  const select = aboutOwners<object, { readonly key: string }>(orm)`
      select distinct secret ->> 'key' as key
      from our.webhook_endpoints as e, json_array_elements(e.secrets) as secret
      where (secret ->> 'expires_at' is null or (secret ->> 'expires_at')::timestamptz > now())
        and ${among('e.owner_id')}`;
  const keys = new Set<string>();
  const readAll = async () => {
    await new OwnerWalk(database, 'webhook_endpoints', options).inReach(async (owners) => {
      for (const { key } of await select(primary, {}, owners)) keys.add(key);
    });
    return [...keys].toSorted();
  };
  return orUnavailable(readAll());
}

/**
 * Returns endpoints with a secret that refers to the signing key with this fingerprint, expired ones included, at most 1000.
 * It reads the endpoints of all owners, so it is for administrators.
 */
export function endpointsOfSigningKey(
  database: OrdersDatabase,
  fingerprint: string,
): ResultAsync<readonly EndpointOfSigningKey[], Unavailable> {
  const { orm } = database;
  const text = inSchema(orm, ENDPOINTS_OF_KEY);
  return withEntityManager(orm, (em) => em.execute<EndpointOfSigningKey[]>(text, [fingerprint]));
}
