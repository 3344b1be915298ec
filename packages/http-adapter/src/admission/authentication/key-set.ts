import type { Unavailable } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { createLocalJWKSet, type CryptoKey, type JWK } from 'jose';
import { err, ok, type Result } from 'neverthrow';
import type { CredentialLookups, LookupRejected } from '../rate-limits/credential-lookups.ts';
import { keySearches } from './key-searches.ts';

/** Accepted algorithms. Only asymmetric ones, because a verifier must not be able to sign tokens. */
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

/** The age from which keys are fetched again, while the old ones stay in use. */
const REFRESH_AFTER_MS = 600_000;
/** Pause after a failed fetch while keys are available. */
const COOL_DOWN_MS = 30_000;
/** Pause after a failed fetch while no keys are available. */
const RETRY_AFTER_MS = 1000;
/** Maximum duration of a fetch, bytes of a key set, and keys in it, each of which costs an import for each algorithm. */
const FETCH_TIMEOUT_MS = 5000;
const KEY_SET_BYTES_MAX = 262_144;
const KEYS_MAX = 100;

/** The header parameters of a token that identify its key (RFC 7515 section 4.1). */
export interface KeyName {
  readonly alg: string;
  readonly kid: string | undefined;
}

interface KeySetOptions {
  readonly url: URL;
  readonly now: () => Date;
  /** Called for each failed fetch. */
  readonly warn: (message: string, error: unknown) => void;
}

/** A key for one of the algorithms that it supports. */
interface Key extends KeyName {
  readonly key: CryptoKey;
}

/**
 * Caches the key set at `url` (RFC 7517 section 5). The first lookup fetches it, and old keys stay in use until newer ones are fetched. A key
 * is ruled out for thirty seconds if a fetch that began after the arrival of its token did not return it. Fetches for keys
 * of other tokens cannot rule it out.
 */
export function keySet({ url, now, warn }: KeySetOptions) {
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
      warn('cannot fetch the key set of the token issuer', cause);
    }
  };
  const fetchShared = (): Promise<void> => (fetching ??= fetchOnce().finally(() => (fetching = undefined)));

  const match = ({ alg, kid }: KeyName): readonly CryptoKey[] =>
    keys.filter((each) => each.alg === alg && (kid === undefined || each.kid === kid)).map(({ key }) => key);

  /** Whether the last fetch failed so recently that the next one has to wait. */
  const isPausing = () => within(fetchedAt === undefined ? RETRY_AFTER_MS : COOL_DOWN_MS, failure?.at);

  /** Whether a fetch for an unknown key may begin now. Fetches before the first keys do not use the budget. */
  const maySearch = (isAboveLimit: boolean) => !isPausing() && (fetchedAt === undefined || searches.take(isAboveLimit));

  /**
   * Fetches until the keys of `name` are available, a fetch that began after fetch number `since` lacks them, or no fetch
   * is possible. An undecided key counts as absent while others are known: else invented keys would cost their sender
   * nothing.
   */
  const search = async (
    name: KeyName,
    since: number,
    isAboveLimit: boolean,
  ): Promise<Result<readonly CryptoKey[], Unavailable>> => {
    const id = `${name.alg} ${name.kid}`;
    while (!searches.isRuledOut(id) && (fetching !== undefined || maySearch(isAboveLimit))) {
      await fetchShared();
      const found = match(name);
      if (found.length > 0) return ok(found);
      if (failure !== undefined) break;
      if (succeeded > since) searches.ruleOut(id);
    }
    return fetchedAt === undefined ? err({ type: 'unavailable', cause: failure?.cause }) : ok([]);
  };

  return {
    /**
     * Returns every known key that may verify a token with this header; none if the issuer has none, or a search for it is
     * not possible now. Searches pass through `lookups`. Returns `unavailable` if the key set was never fetched.
     */
    find: async (
      name: KeyName,
      request: Pick<FastifyRequest, 'ip'>,
      lookups: CredentialLookups,
    ): Promise<Result<readonly CryptoKey[], Unavailable | LookupRejected>> => {
      const since = begun;
      if (fetchedAt !== undefined && !within(REFRESH_AFTER_MS, fetchedAt) && !isPausing()) void fetchShared();
      const known = match(name);
      if (known.length > 0) return ok(known);
      return lookups.run(request, (isAboveLimit) => search(name, since, isAboveLimit));
    },
  };
}

async function fetchKeys(url: URL): Promise<readonly Key[]> {
  const response = await fetch(url, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the key set URL returned status ${response.status}`);
  }
  const members = membersOf(JSON.parse(await readText(response.body ?? [])));
  if (members.length > KEYS_MAX) throw new Error(`the key set has more than ${KEYS_MAX} keys`);
  const keys = (await Promise.all(members.map(importKey))).flat();
  if (keys.length === 0) throw new Error('the key set has no key that can verify tokens');
  return keys;
}

/** Returns the text of a body. Ends the connection of one that is too long. */
async function readText(body: AsyncIterable<Uint8Array> | []): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > KEY_SET_BYTES_MAX) throw new Error(`the key set has more than ${KEY_SET_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Imports a key for each algorithm that matches its type, `alg`, `use` and `key_ops`. Returns none if no algorithm does. */
async function importKey(jwk: JWK): Promise<readonly Key[]> {
  const own = createLocalJWKSet({ keys: [jwk] });
  const imported = await Promise.allSettled(
    ALGORITHMS.map(async (alg): Promise<Key> => ({ alg, kid: jwk.kid, key: await own({ alg }) })),
  );
  return imported.flatMap((each) => (each.status === 'fulfilled' && isStrong(each.value.key) ? [each.value] : []));
}

/** Whether an RSA key has at least 2048 bits (RFC 7518 section 3.3). */
function isStrong({ algorithm }: CryptoKey): boolean {
  return !('modulusLength' in algorithm) || Number(algorithm.modulusLength) >= 2048;
}

/** Returns the keys of a key set that are objects. */
function membersOf(set: unknown): readonly JWK[] {
  const members: readonly unknown[] = isObject(set) && Array.isArray(set['keys']) ? set['keys'] : [];
  return members.filter(isObject);
}

function isObject(input: unknown): input is JWK & Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}
