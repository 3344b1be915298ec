import type { Unavailable } from '@orders/domain';
import { createLocalJWKSet, type CryptoKey, type JWK } from 'jose';
import { err, ok, type Result } from 'neverthrow';
import { keySearches } from './key-searches.ts';

/** Asymmetric alone: whoever can verify a token must not be able to make one. */
export const ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Older than this, keys are fetched anew while they go on verifying. */
const REFRESH_AFTER_MS = 600_000;
/** For how long a fetch that failed causes no other one, as long as there are keys. */
const COOL_DOWN_MS = 30_000;
/** For how long nobody waits for a source that gave no keys at all. */
const RETRY_AFTER_MS = 1000;
const FETCH_TIMEOUT_MS = 5000;

/** The members of a token's header that name its key (RFC 7515 section 4.1). */
export interface KeyName {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** The public keys of an issuer (RFC 7517 section 5). */
export interface KeySet {
  /**
   * Returns every key that may verify a token with this header; none when the issuer has none. Unavailable when the
   * issuer cannot be asked: its source of keys fails, or too many unknown keys were looked for in the last seconds.
   */
  find(name: KeyName): Promise<Result<readonly CryptoKey[], Unavailable>>;
}

export interface KeySetOptions {
  readonly url: URL;
  readonly now: () => Date;
  /** Called for each failed fetch. */
  readonly warn: (message: string, error: unknown) => void;
}

/** A key, once for each algorithm that it is for. */
interface Key extends KeyName {
  readonly key: CryptoKey;
}

/**
 * The keys that `url` serves: fetched when first asked for, kept as long as no newer ones can be had. A key counts as
 * absent when a fetch that began after its token came did not bring it; other tokens' keys cannot make it absent.
 */
export function keySet({ url, now, warn }: KeySetOptions): KeySet {
  const searches = keySearches(now);
  let keys: readonly Key[] = [];
  let fetchedAt: number | undefined;
  let failure: { readonly at: number; readonly cause: unknown } | undefined;
  let fetching: Promise<void> | undefined;
  /** How many fetches have begun, and the number of the last one that succeeded. */
  let begun = 0;
  let succeeded = 0;

  // A clock that was set back must not stop the fetches.
  const within = (milliseconds: number, since: number | undefined): boolean => {
    const age = since === undefined ? -1 : now().getTime() - since;
    return age >= 0 && age < milliseconds;
  };

  const fetchOnce = async (): Promise<void> => {
    const startedAt = now().getTime();
    begun += 1;
    try {
      keys = await fetchKeys(url);
      fetchedAt = startedAt;
      succeeded = begun;
      failure = undefined;
    } catch (cause) {
      failure = { at: now().getTime(), cause };
      warn('the keys of the issuer cannot be had', cause);
    }
  };
  const fetchShared = (): Promise<void> => (fetching ??= fetchOnce().finally(() => (fetching = undefined)));

  const match = ({ alg, kid }: KeyName): readonly CryptoKey[] =>
    keys.filter((each) => each.alg === alg && (kid === undefined || each.kid === kid)).map(({ key }) => key);

  /** Whether a fetch failed so lately that the next one has to wait. */
  const isPausing = () => within(fetchedAt === undefined ? RETRY_AFTER_MS : COOL_DOWN_MS, failure?.at);

  /** Whether a fetch for the sake of an unknown key may begin now; those before the first keys are no searches. */
  const maySearch = () => !isPausing() && (fetchedAt === undefined || searches.take());

  /** Fetches until the keys of `name` are there, or a fetch that began after `since` others did not bring them. */
  const search = async (name: KeyName, since: number): Promise<Result<readonly CryptoKey[], Unavailable>> => {
    const id = `${name.alg} ${name.kid}`;
    while (failure !== undefined || !searches.isRuledOut(id)) {
      if (fetching === undefined && !maySearch()) return err({ type: 'unavailable', cause: failure?.cause });
      await fetchShared();
      if (failure !== undefined) return err({ type: 'unavailable', cause: failure.cause });
      const found = match(name);
      if (found.length > 0) return ok(found);
      if (succeeded > since) searches.ruleOut(id);
    }
    return ok([]);
  };

  return {
    find: async (name) => {
      const since = begun;
      if (fetchedAt !== undefined && !within(REFRESH_AFTER_MS, fetchedAt) && !isPausing()) void fetchShared();
      const known = match(name);
      return known.length > 0 ? ok(known) : search(name, since);
    },
  };
}

async function fetchKeys(url: URL): Promise<readonly Key[]> {
  const response = await fetch(url, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the source of the keys answered with ${response.status}`);
  const keys = (await Promise.all(membersOf(JSON.parse(text)).map(importKey))).flat();
  if (keys.length === 0) throw new Error('the source of the keys answered without a key that verifies tokens');
  return keys;
}

/** A key for each algorithm that it fits by its type, `alg`, `use` and `key_ops`: none when it is of no use here. */
async function importKey(jwk: JWK): Promise<readonly Key[]> {
  const own = createLocalJWKSet({ keys: [jwk] });
  const imported = await Promise.allSettled(
    ALGORITHMS.map(async (alg): Promise<Key> => ({ alg, kid: jwk.kid, key: await own({ alg }) })),
  );
  return imported.flatMap((each) => (each.status === 'fulfilled' && isStrong(each.value.key) ? [each.value] : []));
}

/** RSA keys have at least 2048 bits (RFC 7518 section 3.3). */
function isStrong({ algorithm }: CryptoKey): boolean {
  return !('modulusLength' in algorithm) || Number(algorithm.modulusLength) >= 2048;
}

/** The members of a set that are objects. */
function membersOf(set: unknown): readonly JWK[] {
  const members: readonly unknown[] = isObject(set) && Array.isArray(set['keys']) ? set['keys'] : [];
  return members.filter(isObject);
}

function isObject(input: unknown): input is JWK & Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}
