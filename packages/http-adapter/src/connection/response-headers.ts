import type { FastifyReply } from 'fastify';

/** The headers of every response, those of problems and unknown paths too. */
export const COMMON_HEADERS = {
  'api-version': '1',
  vary: 'Authorization, X-API-Key, Accept, API-Version',
  'x-content-type-options': 'nosniff',
} as const;

/** Adds to `Link` (RFC 8288 section 3), beside what the host application or a deprecation has set. */
export function appendLink(reply: FastifyReply, link: string): void {
  const present = reply.getHeader('link');
  void reply.header('link', present === undefined ? link : `${String(present)}, ${link}`);
}
