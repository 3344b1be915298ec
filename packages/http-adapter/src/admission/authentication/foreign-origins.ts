import type { FastifyRequest } from 'fastify';
import type { BaseUrl, Problem } from '../../problems/problem.ts';
import { type Authentication, challengeOf } from './authentication.ts';

/** Returns the problem of a request that a page of a foreign origin may have sent with its user's credentials. */
export type RejectForeignOrigin = (request: FastifyRequest) => Problem | undefined;

/**
 * Rejects writes from foreign origins whose credentials a browser adds automatically. The origin of the base URL and
 * `corsOrigins` are allowed. So are requests without `Origin`, because browsers send it with every write of another site's
 * page, unless `Sec-Fetch-Site` indicates such a page. Reads are not checked: they change nothing, and a foreign page
 * cannot read the response.
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
      // Other credentials would be accepted, and the document requires the header in every 403 if tokens are supported.
      ...(scopeChallenge && { headers: { 'www-authenticate': challenge() } }),
    };
  };
}

/** Schemes whose credentials a browser adds automatically, once the user has entered a password or has a ticket. */
const BY_BROWSER = /^(?:basic|digest|negotiate|ntlm)(?: |$)/i;

/** Whether a browser may have added the credentials of a request automatically. */
function mayBeAmbient({ headers }: FastifyRequest): boolean {
  const { authorization, cookie, 'x-api-key': key } = headers;
  if (key !== undefined) return false;
  return authorization === undefined ? cookie !== undefined : BY_BROWSER.test(authorization);
}
