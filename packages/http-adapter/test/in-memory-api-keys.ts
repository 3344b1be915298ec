import { type ApiKeyStore, hashApiKey, newApiKey, SCOPES, type StoredApiKey } from '@orders/http-adapter';
import { okAsync } from 'neverthrow';

/** API keys in memory. */
export interface InMemoryApiKeys extends ApiKeyStore {
  /** Makes a key, by default one of acme that may do everything and is good for ever. */
  issue(stored?: Partial<StoredApiKey>): string;
  /** Keeps a key that was made elsewhere, with the same defaults. */
  keep(hash: string, stored: Partial<StoredApiKey>): void;
  revoke(key: string, at: string): void;
  /** How often the store was asked for `key`. */
  lookUps(key: string): number;
}

export function inMemoryApiKeys(): InMemoryApiKeys {
  const kept = new Map<string, StoredApiKey>();
  const lookedUp: string[] = [];
  const keep = (hash: string, stored: Partial<StoredApiKey>): void => {
    const scopes = [...SCOPES];
    kept.set(hash, { owner: 'acme', scopes, expires_at: null, revoked_at: null, ...stored });
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
