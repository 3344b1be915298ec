import { type ApiKeyStore, hashApiKey, newApiKey, SCOPES, type StoredApiKey } from '@orders/http-adapter';
import { okAsync } from 'neverthrow';

/** An in-memory store of API keys. */
export interface InMemoryApiKeys extends ApiKeyStore {
  /** Issues a key and returns it. Default: owner `acme`, all scopes, no expiry, and the same prefix for every key. */
  issue(stored?: Partial<StoredApiKey>): string;
  /** Stores the hash of an existing key, with the same defaults. */
  keep(hash: string, stored: Partial<StoredApiKey>): void;
  revoke(key: string, at: string): void;
  /** Returns the number of lookups of `key`. */
  lookUps(key: string): number;
}

export function inMemoryApiKeys(): InMemoryApiKeys {
  const kept = new Map<string, StoredApiKey>();
  const lookedUp: string[] = [];
  const keep = (hash: string, stored: Partial<StoredApiKey>): void => {
    const scopes = [...SCOPES];
    kept.set(hash, { prefix: 'ord_test', owner: 'acme', scopes, expires_at: null, revoked_at: null, ...stored });
  };
  return {
    keep,
    find: (hash) => {
      lookedUp.push(hash);
      return okAsync(kept.get(hash) ?? null);
    },
    issue: (stored = {}) => {
      const { key, hash } = newApiKey();
      keep(hash, stored);
      return key;
    },
    revoke: (key, at) => {
      const hash = hashApiKey(key);
      const stored = kept.get(hash);
      if (stored) kept.set(hash, { ...stored, revoked_at: at });
    },
    lookUps: (key) => lookedUp.filter((hash) => hash === hashApiKey(key)).length,
  };
}
