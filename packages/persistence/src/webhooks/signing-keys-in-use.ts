import type { Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { Database } from '../database.ts';
import { withEntityManager } from '../shared/with-entity-manager.ts';

/** Reads all endpoints of all owners, so it is for the start of a server. */
const KEYS_IN_USE = `
  select distinct secret ->> 'key' as key
  from webhook_endpoints, json_array_elements(secrets) as secret
  where secret ->> 'expires_at' is null or (secret ->> 'expires_at')::timestamptz > now()`;

/** Returns the fingerprints of the signing keys that unexpired secrets of webhook endpoints refer to, sorted. */
export function signingKeysInUse(database: Database): ResultAsync<readonly string[], Unavailable> {
  return withEntityManager(database.orm, async (em) => {
    const rows = await em.execute<readonly { readonly key: string }[]>(KEYS_IN_USE);
    return rows.map(({ key }) => key).toSorted();
  });
}
