import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import type { Problem } from './problem-details.ts';

/** Leaves bodies as bytes: they are read only after path, query and headers were judged. */
export function keepBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
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
