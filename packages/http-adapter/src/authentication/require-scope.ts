import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { type BaseUrl, sendProblem } from '../conventions/problem-details.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import type { Authentication } from './authentication.ts';
import type { Scope } from './principal.ts';

/** Lets in who has `scope`, as long as they do not ask too often. */
export function requireScope(
  { authenticate, scopeChallenge }: Authentication,
  limits: RateLimits,
  scope: Scope,
  baseUrl: BaseUrl,
): onRequestAsyncHookHandler {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = await authenticate(request);
    if (principal.isErr()) {
      const unknown = principal.error.code === 'unauthenticated' || principal.error.code === 'invalid_token';
      const exceeded = unknown ? await limits.countStranger(request, reply) : undefined;
      return sendProblem(reply, exceeded ?? principal.error, baseUrl);
    }
    request.principal = principal.value;
    const exceeded = await limits.countOwner(request, reply);
    if (exceeded) return sendProblem(reply, exceeded, baseUrl);
    if (principal.value.scopes.includes(scope)) return undefined;
    const challenge = scopeChallenge?.(scope);
    return sendProblem(
      reply,
      {
        code: 'insufficient_scope',
        detail: `The credentials lack the scope ${scope}.`,
        extra: { required_scope: scope },
        ...(challenge !== undefined && { headers: { 'www-authenticate': challenge } }),
      },
      baseUrl,
    );
  };
}
