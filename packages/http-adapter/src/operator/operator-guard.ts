import type { FastifyInstance, FastifyRequest } from 'fastify';
import { COMMON_HEADERS } from '../connection/response-headers.ts';
import { type BaseUrl, sendProblem } from '../problems/problem.ts';

/** Returns the hosts, with their ports, at which the listener may be reached. */
export type AllowedHosts = () => readonly string[];

/** Nothing of the listener is cached, framed, or readable for a page of another origin. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/**
 * Rejects what a browser sends for another page, before anything else is checked: a `Host` that is not that of the listener,
 * which a name that was bound to another address would have, and a `Sec-Fetch-Site` of another origin. A read never returns
 * 304, so that each has its record.
 */
export function guardOperators(app: FastifyInstance, hosts: AllowedHosts, baseUrl: BaseUrl): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'GET' || request.method === 'HEAD') delete request.headers['if-none-match'];
    const detail = foreignBy(request, hosts);
    if (detail === undefined) return done();
    void reply.headers({ ...COMMON_HEADERS, 'x-request-id': request.id });
    void sendProblem(reply, { code: 'origin_not_allowed', detail }, baseUrl);
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    void reply.headers(HEADERS);
    done();
  });
}

function foreignBy({ headers, url }: FastifyRequest, hosts: AllowedHosts): string | undefined {
  const { host = '', 'sec-fetch-site': site } = headers;
  if (!hosts().includes(host.toLowerCase())) return 'The Host is not that of this listener.';
  // The page of the console may be opened from anywhere: it has nothing, and reads the API from this origin.
  if (url === '/') return undefined;
  return site === undefined || site === 'same-origin' ? undefined : 'Pages of another origin cannot use this listener.';
}
