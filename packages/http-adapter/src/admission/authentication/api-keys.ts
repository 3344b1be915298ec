import { hash, randomBytes } from 'node:crypto';
import type { Timestamp, Unavailable } from '@orders/domain';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { LookupRejected } from '../rate-limits/credential-lookups.ts';
import { type Authenticator, badCredentials } from './authenticator.ts';
import { type Principal, SCOPES } from '../../principal.ts';
import { cachedLookup } from './credential-cache.ts';

/** An API key as a store knows it. */
export interface StoredApiKey extends Principal {
  /** From when on the key is not good; `null` for never. */
  readonly expires_at: Timestamp | null;
  /** When the key was taken back, after which it is never good; `null` if it was not. */
  readonly revoked_at: Timestamp | null;
}

/** Where API keys are kept, by {@link hashApiKey}. */
export interface ApiKeyStore {
  /** The key with this hash, good or not; `null` when there is none. */
  find(keyHash: string): ResultAsync<StoredApiKey | null, Unavailable>;
}

/**
 * A new API key: shown once, kept as its hash. The prefix tells keys apart without giving one away; `kind` begins it.
 */
export function newApiKey(kind = 'ord'): { readonly key: string; readonly prefix: string; readonly hash: string } {
  const prefix = `${kind}_${randomBytes(5).toString('hex')}`;
  const key = `${prefix}_${randomBytes(32).toString('base64url')}`;
  return { key, prefix, hash: hashApiKey(key) };
}

/** SHA-256 in base64url. A key is 256 random bits, so it needs no slow hash; a look-up by hash compares in no time. */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'base64url');
}

/** API keys as the OpenAPI document has them. */
export const API_KEY_SCHEMES = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: `API key created by \`pnpm orders keys create\`, with some of the scopes ${SCOPES.join(', ')}. Each
operation lists the scope that it requires. Send exactly one credential header`,
  },
} as const;

/**
 * Authenticates by `X-API-Key`. A key that is known is looked up again after thirty seconds: within that time a
 * revocation takes effect. `now` tells which keys have expired; default: the system's clock.
 */
export function apiKeys(store: ApiKeyStore, now: () => Date = () => new Date()): Authenticator {
  const find = cachedLookup((keyHash) => store.find(keyHash), now);
  const isGood = (key: StoredApiKey | null): key is StoredApiKey =>
    key !== null && key.revoked_at === null && (key.expires_at === null || key.expires_at > now().toISOString());
  const toPrincipal = (found: Result<StoredApiKey | null, Unavailable | LookupRejected>) => {
    if (found.isErr()) return err(found.error);
    return isGood(found.value)
      ? ok(found.value)
      : err(badCredentials('unauthenticated', 'The API key is unknown, expired or revoked.'));
  };
  return {
    header: 'x-api-key',
    credentials: 'an API key in X-API-Key',
    securitySchemes: API_KEY_SCHEMES,
    challenge: () => 'ApiKey realm="orders"',
    authenticate: (request, lookups) => {
      const sent = request.headers['x-api-key'];
      if (typeof sent !== 'string' || sent === '') return null;
      const found = find(hashApiKey(sent), request, lookups);
      return found instanceof Promise ? found.then(toPrincipal) : toPrincipal(found);
    },
  };
}
