import { createHash } from 'node:crypto';
import type { Page } from '../pages/page.ts';

/** The document itself. It is the same for as long as the server runs, so that its text is its version. */
export function openApiPage(document: unknown): Page {
  const text = Buffer.from(JSON.stringify(document));
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  const headers = { etag, 'cache-control': 'no-cache' };
  return {
    path: '/openapi.json',
    answer: (request, reply) => {
      void reply.headers(headers);
      if (names(request.headers['if-none-match'], etag)) return reply.code(304).send();
      // As bytes: to text Fastify adds a charset, which this media type does not have.
      return reply.header('content-type', 'application/json').send(text);
    },
  };
}

/** Whether `tags` has this one, by weak comparison (RFC 9110 section 13.1.2). */
function names(tags: string | undefined, etag: string): boolean {
  const sent = (tags ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return sent.includes(etag) || sent.includes('*');
}
