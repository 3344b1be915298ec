import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasTag, NO_TRANSFORM } from '../request/preconditions.ts';
import type { ChooseEncoding } from './encodings.ts';

/** For content that may change with a release: cached for a minute, then revalidated by its entity tag. */
export const FOR_A_MINUTE = 'public, max-age=60, must-revalidate';

/** A static body and its headers. */
interface StaticBody {
  readonly type: string;
  /** Headers of the response, also of a 304. */
  readonly headers: Readonly<Record<string, string>> & { readonly 'cache-control': string };
  /** The entity tag. Without it, the body cannot be revalidated. */
  readonly tag?: string | undefined;
}

/** Returns an entity tag that is a digest of the body. */
export function tagOf(body: string | Buffer): string {
  return hash('sha256', body, 'base64url');
}

/** Sends a file in the encoding that the client prefers. */
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
    // One tag per encoding, because the bytes differ (RFC 9110 section 8.8.3.3).
    tag: tag === undefined ? undefined : `${tag}-${encoding}`,
  });
}

/** Sends a body, or 304 to a client that already has it. */
export function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string | Buffer,
  { type, headers, tag }: StaticBody,
): FastifyReply {
  void reply.headers(headers);
  if (tag !== undefined) {
    const etag = `"${tag}"`;
    void reply.headers({ etag, 'cache-control': `${headers['cache-control']}, ${NO_TRANSFORM}` });
    if (hasTag(request.headers['if-none-match'], etag)) return reply.removeHeader('content-encoding').code(304).send();
  }
  // Bytes, because Fastify may add a charset to text.
  return reply.header('content-type', type).send(typeof body === 'string' ? Buffer.from(body) : body);
}
