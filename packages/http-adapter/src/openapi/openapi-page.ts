import { createHash } from 'node:crypto';
import { hasTag } from '../conventions/conditional-requests.ts';
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
      if (hasTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      // As bytes: to text Fastify adds a charset, which this media type does not have.
      return reply.header('content-type', 'application/json').send(text);
    },
  };
}
