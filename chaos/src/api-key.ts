import { newApiKey, SCOPES } from '@orders/http-adapter';
import { openDatabase, postgresApiKeys } from '@orders/persistence';

/** Makes a key for all of the API, in a database that is brought up to date first. */
export async function makeApiKey(url: string): Promise<string> {
  const database = openDatabase({ url });
  try {
    await database.migrate();
    const { key, prefix, hash } = newApiKey();
    const created_at = new Date().toISOString();
    const values = { keyHash: hash, prefix, owner: 'chaos', scopes: SCOPES, created_at, expires_at: null };
    const inserted = await postgresApiKeys(database).insert(values);
    if (inserted.isErr()) throw inserted.error.cause;
    return key;
  } finally {
    await database.close();
  }
}
