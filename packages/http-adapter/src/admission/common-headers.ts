import type { FastifyReply, FastifyRequest } from 'fastify';
import { COMMON_HEADERS } from '../connection/response-headers.ts';
import { corsHeaders } from './cors.ts';

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

/** Adds to `Link` (RFC 8288 section 3), beside what the host application or a deprecation has set. */
export function appendLink(reply: FastifyReply, link: string): void {
  const present = reply.getHeader('link');
  void reply.header('link', present === undefined ? link : `${String(present)}, ${link}`);
}

/** Both lists of field names, each name once. A star stands for all of them (RFC 9110 section 12.5.5). */
function union(first: string, second: string): string {
  const names = `${first},${second}`.split(',').map((name) => name.trim());
  if (names.includes('*')) return '*';
  const byName = new Map(names.toReversed().map((name) => [name.toLowerCase(), name]));
  byName.delete('');
  return [...byName.values()].toReversed().join(', ');
}
