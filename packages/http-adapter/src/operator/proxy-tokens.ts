import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { JWTPayload } from 'jose';
import { err, ok, type Result } from 'neverthrow';
import { LOOKUP_REJECTED } from '../admission/authentication/authentication.ts';
import { invalidToken, tokenVerifier } from '../admission/authentication/token-verifier.ts';
import type { CredentialLookups } from '../admission/rate-limits/credential-lookups.ts';
import { isLine } from '../hidden-characters.ts';
import { toProblem } from '../problems/from-domain.ts';
import type { Problem } from '../problems/problem.ts';
import {
  insufficientRole,
  NAME_LENGTH_MAX,
  OPERATOR_ROLES,
  type OperatorSession,
  type OperatorStore,
} from './operator.ts';

/** The tokens that a proxy in front of the listener sends with each request of someone whom it has signed in. */
export interface ProxyTokenOptions {
  /** URL of the key set of the issuer (RFC 7517), without a password. */
  readonly jwksUrl: string;
  /** Required `iss` of every token. Must match exactly. */
  readonly issuer: string;
  /** Required `aud` of every token, or one of its values. Must match exactly. */
  readonly audience: string;
  /** The claim that has the role, or a list of which the highest counts. Default: `role`. */
  readonly roleClaim?: string | undefined;
  /** The header that has the token. Default: `Authorization`, as Bearer. */
  readonly header?: string | undefined;
  /** Called for each failed fetch of the key set. Default: no-op. */
  readonly warn?: ((message: string, error: unknown) => void) | undefined;
}

/** Recognizes operators by the tokens of a proxy. */
export interface ProxyTokens {
  /** The header that has the token, in lower case. */
  readonly header: string;
  readonly identify: (
    token: string,
    request: FastifyRequest,
    lookups: CredentialLookups,
  ) => Promise<Result<OperatorSession, Problem>>;
}

/**
 * Returns operators by the tokens of a proxy. The first token of a subject makes an operator, whose role is that of each token.
 *
 * @throws {TypeError} when `jwksUrl` is not a URL, or has a user name or password
 */
export function proxyTokens(
  {
    jwksUrl,
    issuer,
    audience,
    roleClaim = 'role',
    header = 'authorization',
    warn = () => undefined,
  }: ProxyTokenOptions,
  store: Pick<OperatorStore, 'useIdentity'>,
  now: () => Date,
  challenge: string,
): ProxyTokens {
  const isForApi = ({ aud }: JWTPayload) => aud !== undefined && [aud].flat().includes(audience);
  const verify = tokenVerifier({ jwksUrl, issuer, isForApi, now, warn });
  const rejected = (detail: string): Problem => ({
    code: 'invalid_token',
    detail,
    headers: { 'www-authenticate': `${challenge}, error="invalid_token"` },
  });
  return {
    header: header.toLowerCase(),
    identify: async (token, request, lookups) => {
      const verified = await verify(token, request, lookups);
      if (verified.isErr()) {
        const { error } = verified;
        if (error.type === 'lookup_rejected') return err(LOOKUP_REJECTED);
        return err(error.type === 'bad_credentials' ? rejected(error.detail) : toProblem(error));
      }
      const { value: claims } = verified;
      const { sub, exp = 0 } = claims;
      if (typeof sub !== 'string' || sub === '') return err(rejected(invalidToken(NO_SUBJECT).detail));
      const role = OPERATOR_ROLES.findLast((each) => [claims[roleClaim]].flat().includes(each));
      if (!role) return err(insufficientRole(OPERATOR_ROLES[0]));
      const id = idOf(issuer, sub);
      const used = await store.useIdentity({ id, name: nameOf(claims, id), role }, now().toISOString());
      if (used.isErr()) return err(toProblem(used.error));
      if (!used.value) return err(rejected('The operator was revoked.'));
      const expires_at = new Date(Math.min(exp, EXP_MAX) * 1000).toISOString();
      return ok({ id, name: used.value.name, role, expires_at });
    },
  };
}

/** The last second of the year 9999: an issuer may say that a token never expires. */
const EXP_MAX = 253_402_300_799;

const NO_SUBJECT = 'The token must have a claim sub.';

/** Returns the id of the operator whom an issuer calls `subject`: a UUID of their hash (RFC 9562 section 5.8). */
function idOf(issuer: string, subject: string): string {
  const digits = hash('sha256', JSON.stringify([issuer, subject]), 'hex');
  const variant = '89ab'[Number.parseInt(digits.charAt(16), 16) % 4] ?? '8';
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `${variant}${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}

/** Returns what lists call an operator until an administrator renames them. */
function nameOf({ name, preferred_username, email }: JWTPayload, id: string): string {
  const sent = [name, preferred_username, email].find(
    (each) => typeof each === 'string' && isLine(each.trim(), NAME_LENGTH_MAX),
  );
  return typeof sent === 'string' ? sent.trim() : `operator ${id.slice(0, 8)}`;
}
