import type { FastifyReply } from 'fastify';

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
