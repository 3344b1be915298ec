import { isOwner, type Owner } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { after, type Awaitable } from '../value-or-promise.ts';
import { hashApiKey } from '../admission/authentication/api-keys.ts';
import { LOOKUP_REJECTED } from '../admission/authentication/authentication.ts';
import { cachedLookup } from '../admission/authentication/credential-cache.ts';
import { bearerToken } from '../admission/authentication/bearer-tokens.ts';
import type { Principals } from '../admission/authentication/require-principal.ts';
import { sentValues } from '../connection/request-head.ts';
import { isLine } from '../hidden-characters.ts';
import { SCOPES } from '../principal.ts';
import { toProblem } from '../problems/from-domain.ts';
import type { Problem } from '../problems/problem.ts';
import { stateOf } from '../request-state.ts';
import {
  type Auditing,
  idleSince,
  includesRole,
  insufficientRole,
  isOperatorToken,
  newSessionToken,
  type OperatorOperation,
  type OperatorSession,
  type OperatorStore,
  REASON_LENGTH_MAX,
  ROLE_OF_SCOPE,
} from './operator.ts';
import { type ProxyTokenOptions, proxyTokens } from './proxy-tokens.ts';

/** The header that names the owner whom an operator acts for. */
export const OWNER_HEADER = 'Orders-Owner';
/** The header that says why, percent-encoded. */
export const REASON_HEADER = 'Orders-Reason';

/** An operator who has sent a request. */
export interface SignedIn extends OperatorSession {
  /** The token of the request, or that of the session which it begins. */
  readonly token: string;
  readonly owner: Owner | null;
  readonly reason: string | null;
}

const SIGNED_IN = new WeakMap<FastifyRequest, SignedIn>();

/** Returns the operator of an admitted request. */
export function operatorOf(request: FastifyRequest): SignedIn {
  const operator = SIGNED_IN.get(request);
  if (!operator) throw new Error('the request is not of an operator');
  return operator;
}

const AGAIN = new WeakMap<FastifyRequest, () => Awaitable<Result<OperatorSession, Problem>>>();

/** Identifies the operator of an admitted request again, who has another role or no session since. */
export function identifiedAgain(request: FastifyRequest): ResultAsync<null, Problem> {
  const identify = async () => {
    const found = (await AGAIN.get(request)?.()) ?? err(unauthenticated(NO_SESSION));
    return found.map(({ role }) => {
      SIGNED_IN.set(request, { ...operatorOf(request), role });
      return null;
    });
  };
  return new ResultAsync(identify());
}

/** Returns who did it in what is recorded. */
export function actorOf({ id }: Pick<OperatorSession, 'id'>): string {
  return `operator:${id}`;
}

/** Returns who did it, and why, in what is recorded. */
export function byOperator(request: FastifyRequest): Auditing {
  const operator = operatorOf(request);
  return { actor: actorOf(operator), reason: operator.reason };
}

const CHALLENGE = 'Bearer realm="orders operators"';

function unauthenticated(detail: string): Problem {
  return { code: 'unauthenticated', detail, headers: { 'www-authenticate': CHALLENGE } };
}

/** A header that is absent, or valid; `undefined` for an invalid one. */
function headerOf(request: FastifyRequest, name: string): string | null | undefined {
  const [value = null, ...others] = sentValues(request.raw, name.toLowerCase());
  return others.length > 0 ? undefined : value;
}

function ownerOfHeader(request: FastifyRequest): Owner | null | undefined {
  const value = headerOf(request, OWNER_HEADER);
  return typeof value === 'string' && !isOwner(value) ? undefined : value;
}

function reasonOf(request: FastifyRequest): string | null | undefined {
  const value = headerOf(request, REASON_HEADER);
  if (typeof value !== 'string') return value;
  try {
    const reason = decodeURIComponent(value).trim();
    return isLine(reason, REASON_LENGTH_MAX) ? reason : undefined;
  } catch {
    return undefined;
  }
}

function invalidHeader(field: string, message: string): Problem {
  const errors = [{ field, message, code: 'invalid_value' as const }];
  return { code: 'invalid_header', detail: `${field} ${message}.`, errors };
}

/**
 * How long a session is cached, in milliseconds: the end of one holds within this time on other servers. A flood from the
 * address of an operator delays only what is not cached.
 */
const SESSION_CACHED_MS = 1000;

/** Those who send requests to the listener. */
interface OperatorPrincipals extends Principals<OperatorSession & { readonly token: string }, OperatorOperation> {
  /** Called when a request was handled, before its response. */
  readonly settle: (request: FastifyRequest) => void;
}

/** Returns the operators, who pay for whatever they do, for whatever owner. `proxy` has the options of the tokens of a proxy. */
export function operatorPrincipals(
  store: Pick<OperatorStore, 'useSession' | 'signIn' | 'useIdentity'>,
  now: () => Date,
  proxy?: ProxyTokenOptions,
): OperatorPrincipals {
  const sessions = cachedLookup(
    (tokenHash) => store.useSession(tokenHash, now().toISOString(), idleSince(now())),
    now,
    SESSION_CACHED_MS,
  );
  const proxied = proxy && proxyTokens(proxy, store, now, CHALLENGE);
  const identify: OperatorPrincipals['identify'] = (request, lookups, { signsIn = false }) => {
    const sent = headerOf(request, 'authorization');
    const token = typeof sent === 'string' ? bearerToken(sent) : null;
    if (proxied && !signsIn && !isOperatorToken(token)) {
      const own = proxied.header === 'authorization' ? token : headerOf(request, proxied.header);
      if (typeof own === 'string')
        return after(proxied.identify(own, request, lookups), (found) =>
          found.map((operator) => ({ ...operator, token: own })),
        );
    }
    if (!token) return err(unauthenticated('Send the token of a session in Authorization, as Bearer.'));
    const session = newSessionToken(now());
    const tokenHash = hashApiKey(token);
    const lookup = signsIn
      ? lookups.run(request, () => store.signIn(tokenHash, session))
      : sessions(tokenHash, request, lookups);
    return after(lookup, (found) => {
      if (found.isErr()) return err(found.error.type === 'lookup_rejected' ? LOOKUP_REJECTED : toProblem(found.error));
      if (found.value) return ok({ ...found.value, token: signsIn ? session.token : token });
      return err(unauthenticated(signsIn ? USED_LINK : NO_SESSION));
    });
  };
  return {
    challenge: () => CHALLENGE,
    identify: (request, lookups, operation) => {
      AGAIN.set(request, () => identify(request, lookups, operation));
      return identify(request, lookups, operation);
    },
    enter: (request, operator) => {
      const owner = ownerOfHeader(request) ?? null;
      SIGNED_IN.set(request, { ...operator, owner, reason: reasonOf(request) ?? null });
      const { role } = operator;
      if (owner !== null) {
        const scopes = SCOPES.filter((scope) => {
          const least = ROLE_OF_SCOPE[scope];
          return least !== undefined && includesRole(role, least);
        });
        stateOf(request).principal = { owner, scopes, actor: actorOf(operator) };
      }
      return actorOf(operator);
    },
    lacks: (request, { role }, operation) =>
      includesRole(role, operation.role) ? invalidHeaders(request, operation) : insufficientRole(operation.role),
    settle: (request) => {
      // It may have ended a session. A request without a valid token has not, so that a flood of them expires nothing.
      if (request.method !== 'GET' && SIGNED_IN.has(request)) sessions.expire();
    },
  };
}

const USED_LINK = 'The link was used, is older than 15 minutes, or its operator was revoked.';
const NO_SESSION = 'The session is unknown, has ended, or was not used for an hour.';

/** Returns the problem of the headers that say for whom, and why. */
function invalidHeaders(request: FastifyRequest, { about, changes }: OperatorOperation): Problem | undefined {
  const [owner, reason] = [ownerOfHeader(request), reasonOf(request)];
  if (owner === undefined)
    return invalidHeader(OWNER_HEADER, 'must be sent once, as 1 to 255 printable ASCII characters');
  if (owner === null && about === 'owner') return invalidHeader(OWNER_HEADER, 'must name the owner whom you act for');
  if (owner !== null && about === 'none') return invalidHeader(OWNER_HEADER, 'is not supported by this operation');
  if (reason === undefined || (reason === null && changes))
    return invalidHeader(
      REASON_HEADER,
      `must be 1 to ${REASON_LENGTH_MAX} characters on one line, percent-encoded, sent once`,
    );
  return undefined;
}
