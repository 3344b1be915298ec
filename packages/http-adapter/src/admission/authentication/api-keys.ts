import { hash, randomBytes } from 'node:crypto';
import type { Timestamp, Unavailable } from '@orders/domain';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { after } from '../../value-or-promise.ts';
import type { LookupRejected } from '../rate-limits/credential-lookups.ts';
import { type Authenticator, badCredentials } from './authenticator.ts';
import { type Principal, SCOPES } from '../../principal.ts';
import { cachedLookup } from './credential-cache.ts';

/** A stored API key. */
export interface StoredApiKey extends Omit<Principal, 'actor'> {
  /** Identifies the key without revealing it. The actor of its changes is `api_key:{prefix}`. */
  readonly prefix: string;
  /** When the key expires; `null` if it never does. */
  readonly expires_at: Timestamp | null;
  /** When the key was revoked; `null` if it was not. */
  readonly revoked_at: Timestamp | null;
}

/** Stores API keys by {@link hashApiKey}. */
export interface ApiKeyStore {
  /** Returns the key with this hash, even if it is expired or revoked; `null` if none exists. */
  find(keyHash: string): ResultAsync<StoredApiKey | null, Unavailable>;
}

/**
 * Generates an API key. Show `key` to its user once and store only `hash`. `prefix` identifies the key without revealing
 * it, and begins with `kind`.
 */
export function newApiKey(kind = 'ord'): { readonly key: string; readonly prefix: string; readonly hash: string } {
  const prefix = `${kind}_${randomBytes(5).toString('hex')}`;
  const key = `${prefix}_${randomBytes(32).toString('base64url')}`;
  return { key, prefix, hash: hashApiKey(key) };
}

/** Returns the SHA-256 of a key in base64url. A key has 256 random bits, so it needs no slow hash. */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'base64url');
}

/** Security schemes of {@link apiKeys} for the OpenAPI document. */
export const API_KEY_SCHEMES = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: `API key created by \`pnpm orders keys create\`, with some of the scopes ${SCOPES.join(', ')}.
A server with its embedded database has one in the file \`demo-api-key\` of its \`DATA_DIR\`, by default \`.data/demo-api-key\`.
Send exactly one credential header`,
  },
} as const;

/**
 * Authenticates by `X-API-Key`. A found key is cached for 30 seconds, so a revocation takes effect within that time.
 * `now` is the clock for expiry and cache; default: the system clock.
 */
export function apiKeys(store: ApiKeyStore, now: () => Date = () => new Date()): Authenticator {
  const find = cachedLookup((keyHash) => store.find(keyHash).map(withActor), now);
  const isUsable = (key: ApiKey | null): key is ApiKey =>
    key !== null && key.revoked_at === null && (key.expires_at === null || key.expires_at > now().toISOString());
  const toPrincipal = (found: Result<ApiKey | null, Unavailable | LookupRejected>) => {
    if (found.isErr()) return err(found.error);
    return isUsable(found.value)
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
      return after(find(hashApiKey(sent), request, lookups), toPrincipal);
    },
  };
}

/** A stored key with its actor, which is cached with it. */
type ApiKey = StoredApiKey & Required<Pick<Principal, 'actor'>>;

function withActor(stored: StoredApiKey | null): ApiKey | null {
  return stored && { ...stored, actor: `api_key:${stored.prefix}` };
}
