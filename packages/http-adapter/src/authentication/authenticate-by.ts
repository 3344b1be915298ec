import type { FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { type Awaitable, goOn } from '../awaitable.ts';
import { toProblem } from '../conventions/domain-problems.ts';
import type { Problem } from '../conventions/problem-details.ts';
import type { Authentication } from './authentication.ts';
import type { Authenticator, BadCredentials } from './authenticator.ts';
import type { Principal } from './principal.ts';

/**
 * Authenticates by any of `ways`: by the one header that credentials were sent in, else by the connection. The first way
 * is the one that strangers are asked to take.
 */
export function authenticateBy(first: Authenticator, ...others: readonly Authenticator[]): Authentication {
  const ways = [first, ...others];
  const wanted = `Send ${ways.map(({ credentials }) => credentials).join(', or ')}.`;
  const refuse = (code: BadCredentials['code'], detail: string): Problem => ({
    code,
    detail,
    headers: { 'www-authenticate': first.challenge(code) },
  });
  /** Asks those of `ways` that know credentials of this kind, from the one at `index` on. */
  const judge = (
    request: FastifyRequest,
    header: Authenticator['header'],
    index: number,
  ): Awaitable<Result<Principal, Problem>> => {
    const way = ways[index];
    if (!way) return err(refuse('unauthenticated', wanted));
    if (way.header !== header) return judge(request, header, index + 1);
    return goOn(way.authenticate(request), (judged) => {
      if (!judged) return judge(request, header, index + 1);
      if (judged.isOk()) return ok(judged.value);
      const { error } = judged;
      return err(error.type === 'bad_credentials' ? refuse(error.code, error.detail) : toProblem(error));
    });
  };
  return {
    authenticate: (request) => {
      const header = credentialHeader(request);
      return header.isErr() ? err(header.error) : judge(request, header.value, 0);
    },
    securitySchemes: Object.fromEntries(ways.flatMap(({ securitySchemes }) => Object.entries(securitySchemes))),
    scopeChallenge: first.scopeChallenge,
    authorizationServers: ways.flatMap(({ authorizationServers = [] }) => authorizationServers),
  };
}

const [AUTHORIZATION, API_KEY] = ['authorization', 'x-api-key'] as const;

/** The header that the credentials of a request are in, if any. */
function credentialHeader({ raw }: FastifyRequest): Result<Authenticator['header'], Problem> {
  const { rawHeaders } = raw;
  let first: Authenticator['header'];
  let more = false;
  // By hand, and only names of the right length: this is on the way of every request.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? '';
    if (sent.length !== AUTHORIZATION.length && sent.length !== API_KEY.length) continue;
    const name = sent.toLowerCase();
    if (name !== AUTHORIZATION && name !== API_KEY) continue;
    more = first !== undefined;
    first ??= name;
    if (more) break;
  }
  if (!more) return ok(first);
  const field = first === 'authorization' ? 'Authorization' : 'X-API-Key';
  const errors = [{ field, message: 'must come once and alone', code: 'invalid_value' as const }];
  return err({ code: 'invalid_header', detail: 'Send one credential, once.', errors });
}
