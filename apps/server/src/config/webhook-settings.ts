import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { platform } from 'node:process';
import type { OrdersDatabase } from '@orders/persistence';
import { isSigningKey, SIGNING_KEY_BYTES_MIN, signingKeyFingerprint } from '@orders/webhooks';
import { OperatorError, reasonOf } from '../operator-error.ts';

/** The file in `DATA_DIR` that contains the signing key of the embedded database. */
export const SIGNING_KEY_FILE = 'webhook-signing-key';

/** The variables of webhooks that depend on one another. */
interface WebhookVariables {
  readonly DATABASE_URL?: string | undefined;
  readonly WEBHOOKS?: 'on' | 'api' | 'off' | undefined;
  readonly WEBHOOK_SIGNING_KEYS: readonly string[];
}

/** Returns whether the server has webhooks: as configured, or else if it has a signing key or can make one. */
export function hasWebhooks({ DATABASE_URL, WEBHOOKS, WEBHOOK_SIGNING_KEYS }: WebhookVariables): boolean {
  if (WEBHOOKS !== undefined) return WEBHOOKS !== 'off';
  return DATABASE_URL === undefined || WEBHOOK_SIGNING_KEYS.length > 0;
}

/** Returns the errors in the variables of webhooks that depend on one another. */
export function webhookFaults(variables: WebhookVariables): readonly string[] {
  const lacksKey = variables.DATABASE_URL !== undefined && variables.WEBHOOK_SIGNING_KEYS.length === 0;
  return hasWebhooks(variables) && lacksKey
    ? [
        'WEBHOOK_SIGNING_KEYS: must be set when WEBHOOKS is not off and DATABASE_URL is set; openssl rand -base64 32 makes a key',
      ]
    : [];
}

/**
 * Returns the signing keys of a program with webhooks, the newest first. Without a configured key, that of the embedded
 * database is in `DATA_DIR/webhook-signing-key`, which the first start creates.
 *
 * @throws {OperatorError} a key must be configured, or the file cannot be used
 */
export async function signingKeys(
  variables: WebhookVariables & { readonly DATA_DIR: string },
): Promise<readonly string[]> {
  const { WEBHOOK_SIGNING_KEYS: configured, DATA_DIR } = variables;
  const faults = webhookFaults({ ...variables, WEBHOOKS: 'on' });
  if (faults.length > 0) throw new OperatorError(faults);
  if (configured.length > 0) return configured;
  const path = join(DATA_DIR, SIGNING_KEY_FILE);
  try {
    const key = (await readIfPresent(path)) ?? (await createKey(path));
    if (isSigningKey(key)) return [key];
  } catch (cause) {
    throw new OperatorError([`DATA_DIR: ${path} cannot be used: ${reasonOf(cause)}`], { cause });
  }
  throw new OperatorError([`DATA_DIR: ${path} contains no signing key; restore it from a backup`]);
}

/**
 * Checks that every unexpired secret of the database can be derived. Those on a node of Citus that is down are not checked,
 * and `warn` is called.
 *
 * @throws {OperatorError} a key is missing, or the query failed
 */
export async function requireKeysInUse(
  database: OrdersDatabase,
  keys: readonly string[],
  warn: (message: string) => void,
): Promise<void> {
  // Imported late: the configuration needs the rest of this file without a database.
  const { signingKeysInUse } = await import('@orders/persistence');
  const known = new Set(keys.map(signingKeyFingerprint));
  const onNodeDown = (cause: unknown) =>
    warn(`the signing keys of webhooks are not checked for the owners of a node that is down: ${reasonOf(cause)}`);
  const used = (await signingKeysInUse(database, { onNodeDown })).match(
    (fingerprints) => fingerprints,
    ({ cause }) => {
      throw new OperatorError([`the webhook endpoints cannot be read: ${reasonOf(cause)}`], { cause });
    },
  );
  const missing = used.filter((fingerprint) => !known.has(fingerprint));
  if (missing.length === 0) return;
  throw new OperatorError([
    `WEBHOOK_SIGNING_KEYS: must contain the keys of all secrets in use; missing by fingerprint: ${missing.join(', ')}; if one is lost, pnpm orders secrets replace FINGERPRINT replaces its secrets`,
  ]);
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    // Any other file that cannot be read may contain the key of secrets in use.
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw cause;
  }
}

async function createKey(path: string): Promise<string> {
  const key = randomBytes(SIGNING_KEY_BYTES_MIN).toString('base64');
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${key}\n`);
    // A crash leaves no file or a whole one.
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  // Without it, a crash of the machine may leave the folder without the new name, and with secrets that cannot be derived.
  await syncFolder(dirname(path));
  return key;
}

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders; its names are written before a rename returns.
  if (platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
