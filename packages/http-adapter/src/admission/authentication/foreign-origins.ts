import type { FastifyRequest } from 'fastify';
import type { BaseUrl, Problem } from '../../problems/problem.ts';
import { type Authentication, challengeOf } from './authentication.ts';

/** Rejects a request that a page of a foreign origin may have had sent with its user's credentials. */
export type RejectForeignOrigin = (request: FastifyRequest) => Problem | undefined;

/**
 * Rejects writes of foreign origins where a browser adds the credentials by itself. Allowed are the origin of the base
 * URL and `corsOrigins`, and requests without `Origin`, which no browser leaves out of a write of another site's page;
 * where one says so all the same, in `Sec-Fetch-Site`, it is believed. Reads are no concern: they change nothing, and a
 * foreign page cannot read the response.
 */
export function rejectForeignOrigin(
  authentication: Authentication,
  corsOrigins: readonly string[] = [],
  baseUrl: BaseUrl,
): RejectForeignOrigin {
  const { isAmbient = mayBeAmbient, scopeChallenge } = authentication;
  const challenge = challengeOf(authentication);
  const isForeign = ({ origin, 'sec-fetch-site': site }: FastifyRequest['headers']): boolean => {
    if (origin === undefined) return site === 'cross-site' || site === 'same-site';
    return !corsOrigins.includes(origin) && origin !== new URL(baseUrl()).origin;
  };
  return (request) => {
    const { headers } = request;
    if (headers.origin === undefined && headers['sec-fetch-site'] === undefined) return undefined;
    if (!isForeign(headers) || !isAmbient(request)) return undefined;
    return {
      code: 'origin_not_allowed',
      detail:
        'Pages of this origin cannot use credentials that the browser adds automatically. Send credentials in a header.',
      // Another credential would help; the document promises it of every 403 where there are tokens.
      ...(scopeChallenge && { headers: { 'www-authenticate': challenge() } }),
    };
  };
}

/** Schemes whose credentials a browser adds by itself, once its user has entered a password or has a ticket. */
const BY_BROWSER = /^(?:basic|digest|negotiate|ntlm)(?: |$)/i;

/** Whether what authenticates a request can be credentials that the browser has added by itself. */
function mayBeAmbient({ headers }: FastifyRequest): boolean {
  const { authorization, cookie, 'x-api-key': key } = headers;
  if (key !== undefined) return false;
  return authorization === undefined ? cookie !== undefined : BY_BROWSER.test(authorization);
}
