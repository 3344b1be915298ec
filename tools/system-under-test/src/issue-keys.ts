import { newApiKey, SCOPES } from '@orders/http-adapter';
import { openDatabase, postgresApiKeys } from '@orders/persistence';

/** Creates an API key with every scope for each owner, and the tables unless there are some. */
export async function issueKeys(url: string, owners: readonly string[]): Promise<readonly string[]> {
  const database = openDatabase({ url });
  try {
    if ((await database.schemaStatus()).applied.length === 0) await database.migrate();
    const repository = postgresApiKeys(database);
    const keys: string[] = [];
    for (const owner of owners) {
      const { key, prefix, hash } = newApiKey();
      const created_at = new Date().toISOString();
      const values = { keyHash: hash, prefix, owner, scopes: SCOPES, created_at, expires_at: null };
      const inserted = await repository.insert(values);
      if (inserted.isErr()) throw inserted.error.cause;
      keys.push(key);
    }
    return keys;
  } finally {
    await database.close();
  }
}
