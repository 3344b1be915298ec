import type { FastifyReply, FastifyRequest } from 'fastify';
import { REST_BYTES_MAX } from './request-head.ts';

/** The headers of every response, including those of problems and unknown paths. */
export const COMMON_HEADERS = {
  'api-version': '1',
  vary: 'Authorization, X-API-Key, Accept, API-Version',
  'x-content-type-options': 'nosniff',
} as const;

/** Adds a link to `Link` (RFC 8288 section 3), and keeps those of the host application or a deprecation. */
export function appendLink(reply: FastifyReply, link: string): void {
  const present = reply.getHeader('link');
  void reply.header('link', present === undefined ? link : `${String(present)}, ${link}`);
}

/** Announces the end of the connection if too much of a body would follow the response. Call this before each response. */
export function closeAfterLongBody(
  { raw: { complete, httpVersionMajor, headers } }: FastifyRequest,
  reply: FastifyReply,
) {
  // HTTP/2 limits its streams itself.
  if (complete || httpVersionMajor > 1 || !(Number(headers['content-length']) > REST_BYTES_MAX)) return;
  void reply.header('connection', 'close');
}
