import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasTag } from '../request/preconditions.ts';
import type { ChooseEncoding } from './encodings.ts';

/** What may change with a release: kept for a minute, then revalidated by its entity tag. */
export const FOR_A_MINUTE = 'public, max-age=60, must-revalidate';

/** A body that is the same for every client, and its headers. */
interface StaticBody {
  readonly type: string;
  /** Those of a 304, too. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names the body; without one nothing is revalidated. */
  readonly tag?: string | undefined;
}

/** Returns a tag that names a body by its bytes. */
export function tagOf(body: string | Buffer): string {
  return hash('sha256', body, 'base64url');
}

/** Sends a file in the encoding that the client likes best. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  choose: ChooseEncoding,
  { type, headers, tag }: StaticBody,
): FastifyReply {
  const { encoding, bytes } = choose(request.headers['accept-encoding']?.toString());
  const vary = [reply.getHeader('vary'), 'Accept-Encoding'].filter((each) => each !== undefined).join(', ');
  if (encoding === 'identity') return sendStatic(request, reply, bytes, { type, headers: { ...headers, vary }, tag });
  return sendStatic(request, reply.header('content-encoding', encoding), bytes, {
    type,
    headers: { ...headers, vary },
    // One for each encoding, because the bytes differ (RFC 9110 section 8.8.3.3).
    tag: tag === undefined ? undefined : `${tag}-${encoding}`,
  });
}

/** Sends a body, or 304 to a client that has it. */
export function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string | Buffer,
  { type, headers, tag }: StaticBody,
): FastifyReply {
  void reply.headers(headers);
  if (tag !== undefined) {
    const etag = `"${tag}"`;
    void reply.header('etag', etag);
    if (hasTag(request.headers['if-none-match'], etag)) return reply.removeHeader('content-encoding').code(304).send();
  }
  // As bytes: to text Fastify may add a charset.
  return reply.header('content-type', type).send(typeof body === 'string' ? Buffer.from(body) : body);
}
