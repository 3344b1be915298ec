import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COMMON_HEADERS } from '../connection/response-headers.ts';

/**
 * Whether `text` is an origin in the form that browsers send (RFC 6454 section 6.2): scheme, host, and a port unless it is
 * the default of the scheme.
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
  'Orders-External-User-Id',
  'API-Version',
  'X-Request-Id',
  // Sent with each request by tracing in a browser (W3C Trace Context).
  'traceparent',
  'tracestate',
].join(', ');

/** Returns the CORS headers of the response to a request. */
export type CorsHeaders = (request: IncomingHttpHeaders) => Readonly<Record<string, string>>;

/**
 * Allows scripts of `origins` to use the API. Without origins, responses have no CORS headers. Not done by `@fastify/cors`,
 * because it handles OPTIONS of every path, including unknown ones, and returns the same methods for all of them.
 *
 * @throws {TypeError} for an invalid origin
 */
export function corsHeaders(origins: readonly string[] = []): CorsHeaders {
  const invalid = origins.find((origin) => !isOrigin(origin));
  if (invalid !== undefined)
    throw new TypeError(`corsOrigins must be origins such as https://shop.example.com, got "${invalid}"`);
  if (origins.length === 0) return () => ({});
  const vary = `${COMMON_HEADERS.vary}, Origin`;
  return ({ origin }) => {
    if (origin === undefined || !origins.includes(origin)) return { vary };
    return { vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED };
  };
}

/** Returns the headers of a preflight response, in addition to {@link corsHeaders}. They do not allow cookies. */
export function preflightHeaders(methods: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': '600',
  };
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the `X-Request-Id` of the client if it is valid, otherwise a new UUID. */
export function requestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}

/**
 * Returns a function that sets the headers of every response. Names that the host application has put into `Vary` are kept.
 *
 * @throws {TypeError} for an invalid origin
 */
export function commonHeaders(corsOrigins?: readonly string[]): (request: FastifyRequest, reply: FastifyReply) => void {
  const cors = corsHeaders(corsOrigins);
  return (request, reply) => {
    const present = reply.getHeader('vary');
    void reply.headers(COMMON_HEADERS).headers(cors(request.headers)).header('x-request-id', request.id);
    if (present !== undefined) void reply.header('vary', union(String(present), String(reply.getHeader('vary'))));
  };
}

/** Merges two lists of field names, without duplicates. `*` includes all names (RFC 9110 section 12.5.5). */
function union(first: string, second: string): string {
  const names = `${first},${second}`.split(',').map((name) => name.trim());
  if (names.includes('*')) return '*';
  const byName = new Map(names.toReversed().map((name) => [name.toLowerCase(), name]));
  byName.delete('');
  return [...byName.values()].toReversed().join(', ');
}
