import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COMMON_HEADERS } from '../connection/response-headers.ts';

/**
 * Whether `text` is an origin as browsers send it (RFC 6454 section 6.2): scheme, host, and a port unless it is the
 * scheme's own.
 */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const EXPOSED = [
  'ETag',
  'Location',
  'Link',
  'Idempotent-Replayed',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
  'X-Request-Id',
  'API-Version',
  'Deprecation',
  'Sunset',
].join(', ');

const ALLOWED = [
  'Authorization',
  'X-API-Key',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Content-Type',
  'API-Version',
  'X-Request-Id',
  // What a browser's tracing adds to each request (W3C Trace Context).
  'traceparent',
  'tracestate',
].join(', ');

/** The headers of every response by which a browser knows whether a page of another origin may read it. */
export type CorsHeaders = (request: IncomingHttpHeaders) => Readonly<Record<string, string>>;

/**
 * Lets scripts of `origins` use the API; without any, nothing is said. `@fastify/cors` would take the OPTIONS of every
 * path for itself, known or not, with the same methods for all.
 *
 * @throws {TypeError} for what no browser would send as an origin
 */
export function corsHeaders(origins: readonly string[] = []): CorsHeaders {
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong !== undefined)
    throw new TypeError(`corsOrigins must be origins such as https://shop.example.com, got "${wrong}"`);
  if (origins.length === 0) return () => ({});
  const vary = `${COMMON_HEADERS.vary}, Origin`;
  return ({ origin }) => {
    if (origin === undefined || !origins.includes(origin)) return { vary };
    return { vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED };
  };
}

/** Returns the headers of a preflight response beside {@link corsHeaders}. They allow no cookies. */
export function preflightHeaders(methods: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': '600',
  };
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's `X-Request-Id` if it is well formed, else a new one. */
export function requestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}

/**
 * Sets the headers of every response. What the host application has put into `Vary` stays.
 *
 * @throws {TypeError} for what no browser would send as an origin
 */
export function commonHeaders(corsOrigins?: readonly string[]): (request: FastifyRequest, reply: FastifyReply) => void {
  const cors = corsHeaders(corsOrigins);
  return (request, reply) => {
    const present = reply.getHeader('vary');
    void reply.headers(COMMON_HEADERS).headers(cors(request.headers)).header('x-request-id', request.id);
    if (present !== undefined) void reply.header('vary', union(String(present), String(reply.getHeader('vary'))));
  };
}

/** Both lists of field names, each name once. A star stands for all of them (RFC 9110 section 12.5.5). */
function union(first: string, second: string): string {
  const names = `${first},${second}`.split(',').map((name) => name.trim());
  if (names.includes('*')) return '*';
  const byName = new Map(names.toReversed().map((name) => [name.toLowerCase(), name]));
  byName.delete('');
  return [...byName.values()].toReversed().join(', ');
}
