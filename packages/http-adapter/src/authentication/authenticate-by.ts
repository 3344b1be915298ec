import type { FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { toProblem } from '../conventions/domain-problems.ts';
import type { Problem } from '../conventions/problem-details.ts';
import type { Authentication } from './authentication.ts';
import type { Authenticator, BadCredentials } from './authenticator.ts';

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
  return {
    authenticate: async (request) => {
      const header = credentialHeader(request);
      if (header.isErr()) return err(header.error);
      for (const way of ways.filter((each) => each.header === header.value)) {
        const judged = await way.authenticate(request);
        if (judged) {
          return judged.mapErr((error) =>
            error.type === 'bad_credentials' ? refuse(error.code, error.detail) : toProblem(error),
          );
        }
      }
      return err(refuse('unauthenticated', wanted));
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
