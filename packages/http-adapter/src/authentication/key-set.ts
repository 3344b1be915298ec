import type { Unavailable } from '@orders/domain';
import { createLocalJWKSet, type CryptoKey, type JWK } from 'jose';
import { err, ok, type Result } from 'neverthrow';

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
/** For how long an unknown key, or a refresh that failed, causes no other fetch. */
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
   * Every key that may verify a token with this header; none when the issuer has none. Unavailable when that cannot be
   * told, because the source of the keys does not answer as it should.
   */
  find(name: KeyName): Promise<Result<readonly CryptoKey[], Unavailable>>;
}

export interface KeySetOptions {
  readonly url: URL;
  readonly now: () => Date;
  /** Told of each fetch that failed. */
  readonly warn: (message: string, error: unknown) => void;
}

/** A key, once for each algorithm that it is for. */
interface Key extends KeyName {
  readonly key: CryptoKey;
}

/** The keys that `url` serves: fetched when first asked for, kept as long as no newer ones can be had. */
export function keySet({ url, now, warn }: KeySetOptions): KeySet {
  let keys: readonly Key[] = [];
  let fetchedAt: number | undefined;
  let searchedAt: number | undefined;
  let failure: { readonly at: number; readonly cause: unknown } | undefined;
  let fetching: Promise<void> | undefined;

  // A clock that was set back must not stop the fetches.
  const within = (milliseconds: number, since: number | undefined): boolean => {
    const age = since === undefined ? -1 : now().getTime() - since;
    return age >= 0 && age < milliseconds;
  };

  const fetchOnce = async (): Promise<void> => {
    const startedAt = now().getTime();
    try {
      keys = await fetchKeys(url);
      fetchedAt = startedAt;
      failure = undefined;
    } catch (cause) {
      failure = { at: now().getTime(), cause };
      warn('the keys of the issuer cannot be had', cause);
    }
  };
  const fetchShared = (): Promise<void> => (fetching ??= fetchOnce().finally(() => (fetching = undefined)));

  const match = ({ alg, kid }: KeyName): readonly CryptoKey[] =>
    keys.filter((each) => each.alg === alg && (kid === undefined || each.kid === kid)).map(({ key }) => key);

  /** Fetches for the sake of a key that is not there, unless that was done a moment ago. */
  const search = async (): Promise<void> => {
    const searched = within(COOL_DOWN_MS, searchedAt);
    if (!searched) searchedAt = now().getTime();
    await (searched ? fetching : fetchShared());
  };

  return {
    find: async (name) => {
      if (fetchedAt === undefined) {
        if (!within(RETRY_AFTER_MS, failure?.at)) await fetchShared();
      } else {
        if (!within(REFRESH_AFTER_MS, fetchedAt) && !within(COOL_DOWN_MS, failure?.at)) void fetchShared();
        const known = match(name);
        if (known.length > 0) return ok(known);
        await search();
      }
      return failure === undefined ? ok(match(name)) : err({ type: 'unavailable', cause: failure.cause });
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
