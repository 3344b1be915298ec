import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashApiKey, newApiKey, SCOPES } from '@orders/http-adapter';
import type { ApiKeyRepository } from '@orders/persistence';
import { StartupError } from './startup-error.ts';

/** The file in `DATA_DIR` that holds the demo key, for a first `curl`. */
export const DEMO_API_KEY_FILE = 'demo-api-key';

/** Sees to it that the embedded database knows the key in `DATA_DIR/demo-api-key`, making both on first use. */
export async function ensureDemoApiKey(keys: ApiKeyRepository, dataDir: string, now: Date): Promise<void> {
  const path = join(dataDir, DEMO_API_KEY_FILE);
  const present = await readFile(path, 'utf8').catch(() => undefined);
  const known = present === undefined ? null : await keys.find(hashApiKey(present.trim())).unwrapOr(null);
  if (known) return; // Also when it was revoked: that was somebody's wish.
  const { key, prefix, hash } = newApiKey();
  const inserted = await keys.insert({
    keyHash: hash,
    prefix,
    owner: 'demo',
    scopes: SCOPES,
    created_at: now.toISOString(),
    expires_at: null,
  });
  if (inserted.isErr()) throw new StartupError(['the demo API key cannot be kept'], { cause: inserted.error.cause });
  await writeFile(`${path}.new`, `${key}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
