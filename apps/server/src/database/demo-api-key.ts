import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashApiKey, newApiKey, SCOPES } from '@orders/http-adapter/settings';
import type { ApiKeyRepository } from '@orders/persistence';
import { ResultAsync } from 'neverthrow';
import { OperatorError } from '../operator-error.ts';
import { allPages } from './all-pages.ts';

/** The file in `DATA_DIR` that contains the demo key, for a first `curl`. */
export const DEMO_API_KEY_FILE = 'demo-api-key';

/** The prefix of every demo key. */
const KIND = 'demo';

/** Revokes every demo key of a database for production. */
export async function endDemoApiKeys(keys: ApiKeyRepository, now: Date): Promise<void> {
  const ended = allPages((page) => keys.list(page)).andThen((listed) => {
    const demo = listed.filter(({ prefix, revoked_at }) => prefix.startsWith(`${KIND}_`) && revoked_at === null);
    return ResultAsync.combine(demo.map(({ prefix }) => keys.revoke(prefix, now.toISOString())));
  });
  const failure = (await ended).match(
    () => undefined,
    ({ cause }) => cause,
  );
  if (failure !== undefined) throw new OperatorError(['the demo API keys cannot be revoked'], { cause: failure });
}

/**
 * Ensures that the embedded database accepts the key in `DATA_DIR/demo-api-key`, and creates both at the first start.
 */
export async function ensureDemoApiKey(keys: ApiKeyRepository, dataDir: string, now: Date): Promise<void> {
  const path = join(dataDir, DEMO_API_KEY_FILE);
  const present = await readFile(path, 'utf8').catch(() => undefined);
  const known = present === undefined ? null : await keys.find(hashApiKey(present.trim())).unwrapOr(null);
  if (known) return; // A revoked key is not replaced, because the operator revoked it.
  const { key, prefix, hash } = newApiKey(KIND);
  const inserted = await keys.insert({
    keyHash: hash,
    prefix,
    owner: 'demo',
    scopes: SCOPES,
    name: 'demo',
    created_at: now.toISOString(),
    expires_at: null,
  });
  if (inserted.isErr()) throw new OperatorError(['the demo API key cannot be stored'], { cause: inserted.error.cause });
  await writeFile(`${path}.new`, `${key}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
