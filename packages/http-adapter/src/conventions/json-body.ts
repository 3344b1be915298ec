import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { type BaseUrl, type Problem, sendProblem } from './problem-details.ts';

/** Leaves bodies as bytes: they are read only after path, query and headers were judged. */
export function keepBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Refuses a body in another media type than `types`, or in another charset than UTF-8, before it is read. */
export function acceptMediaTypes(types: readonly string[], baseUrl: BaseUrl): onRequestHookHandler {
  return (request, reply, done) => {
    if (!hasBody(request) || isAccepted(request.headers['content-type'], types)) return done();
    const accept = request.method === 'PATCH' ? { 'accept-patch': types.join(', ') } : {};
    const detail = `Send the body as ${types.join(' or ')} in UTF-8.`;
    void sendProblem(reply, { code: 'unsupported_media_type', detail, headers: accept }, baseUrl);
  };
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function isAccepted(header: string | undefined, types: readonly string[]): boolean {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';');
  if (!types.includes(type.trim())) return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-8"?$/.test(charset);
}

/** The body as JSON (RFC 8259); `absent` stands for a body that was not sent. */
export function readJson(request: FastifyRequest, absent?: unknown): Result<unknown, Problem> {
  const bytes = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
    return absent === undefined ? err(malformed('The body is missing.')) : ok(absent);
  }
  if (!isUtf8(bytes)) return err(malformed('The body is not UTF-8.'));
  try {
    return ok(JSON.parse(bytes.toString()));
  } catch (cause) {
    return err(malformed(cause instanceof SyntaxError ? `${cause.message}.` : 'The body cannot be read.'));
  }
}

function malformed(detail: string): Problem {
  return { code: 'malformed_json', detail };
}
