import { createHash, randomBytes } from 'node:crypto';
import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { toProblem } from './domain-problems.ts';
import { type BaseUrl, type Problem, sendProblem } from './problem-details.ts';

/** What credentials may be good for. */
export const SCOPES = ['orders:read', 'orders:write', 'customers:read', 'customers:write'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who asks, and for what they may ask. */
export interface Principal {
  readonly owner: Owner;
  readonly scopes: readonly string[];
}

/** An API key as a store knows it. */
export interface StoredApiKey extends Principal {
  readonly expires_at: Timestamp | null;
  readonly revoked_at: Timestamp | null;
}

/** Where API keys are kept, by {@link hashApiKey}. */
export interface ApiKeyStore {
  find(keyHash: string): ResultAsync<StoredApiKey | null, Unavailable>;
}

/** A new API key: shown once, kept as its hash. The prefix tells keys apart without giving one away. */
export function newApiKey(): { readonly key: string; readonly prefix: string; readonly hash: string } {
  const prefix = `ord_${randomBytes(5).toString('hex')}`;
  const key = `${prefix}_${randomBytes(32).toString('base64url')}`;
  return { key, prefix, hash: hashApiKey(key) };
}

/** SHA-256 in base64url. A key is 256 random bits, so it needs no slow hash; a look-up by hash compares in no time. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every authenticated route before its handler runs. */
    principal: Principal;
  }
}

/** Finds out who asks, once a route is known and before anything else of the request is looked at. */
export type Authenticate = (request: FastifyRequest) => Promise<Result<Principal, Problem>>;

/** Lets in who has `scope`. */
export function requireScope(authenticate: Authenticate, scope: Scope, baseUrl: BaseUrl): onRequestAsyncHookHandler {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = await authenticate(request);
    if (principal.isErr()) return sendProblem(reply, principal.error, baseUrl);
    if (!principal.value.scopes.includes(scope)) {
      const detail = `The credentials lack the scope ${scope}.`;
      return sendProblem(reply, { code: 'insufficient_scope', detail, extra: { required_scope: scope } }, baseUrl);
    }
    request.principal = principal.value;
    return undefined;
  };
}

/** For how long a key that was found is not looked up again: within this time a revocation takes effect. */
const CACHE_MS = 30_000;
const CACHE_MAX = 10_000;

type LookUp = Result<StoredApiKey | null, Unavailable>;

/** Authenticates by `X-API-Key`. */
export function apiKeyAuthentication(store: ApiKeyStore, now: () => Date): Authenticate {
  const cache = new Map<string, { readonly key: StoredApiKey; readonly until: number }>();
  const asking = new Map<string, Promise<LookUp>>();

  const ask = async (hash: string, time: number): Promise<LookUp> => {
    const found = await store.find(hash);
    cache.delete(hash);
    if (found.isErr() || !found.value) return found;
    const [oldest] = cache.keys();
    if (cache.size >= CACHE_MAX && oldest !== undefined) cache.delete(oldest);
    cache.set(hash, { key: found.value, until: time + CACHE_MS });
    return found;
  };

  const lookUp = async (hash: string): Promise<LookUp> => {
    const time = now().getTime();
    const known = cache.get(hash);
    if (known && known.until > time) return ok(known.key);
    // Requests that come at once share one answer of the store.
    const answer = asking.get(hash) ?? ask(hash, time).finally(() => asking.delete(hash));
    asking.set(hash, answer);
    return await answer;
  };

  return async (request) => {
    const credentials = readCredentials(request);
    if (credentials.isErr()) return err(credentials.error);
    const found = await lookUp(hashApiKey(credentials.value));
    if (found.isErr()) return err(toProblem(found.error));
    const key = found.value;
    const current = now().toISOString();
    if (!key || key.revoked_at !== null || (key.expires_at !== null && key.expires_at <= current)) {
      return err(unauthenticated('The API key is not valid.'));
    }
    return ok(key);
  };
}

function readCredentials(request: FastifyRequest): Result<string, Problem> {
  const sent = request.raw.rawHeaders
    .filter((_, index) => index % 2 === 0)
    .map((name) => name.toLowerCase())
    .filter((name) => name === 'authorization' || name === 'x-api-key');
  if (sent.length > 1) {
    const field = sent[0] === 'authorization' ? 'Authorization' : 'X-API-Key';
    const errors = [{ field, message: 'must come once and alone', code: 'invalid_value' as const }];
    return err({ code: 'invalid_header', detail: 'Send one credential, once.', errors });
  }
  const key = request.headers['x-api-key'];
  return typeof key === 'string' && key !== '' ? ok(key) : err(unauthenticated('Send an API key in X-API-Key.'));
}

function unauthenticated(detail: string): Problem {
  return { code: 'unauthenticated', detail, headers: { 'www-authenticate': 'ApiKey realm="orders"' } };
}
