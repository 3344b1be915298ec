import { CUSTOM_DEPTH_MAX, type InvalidCode } from '@orders/domain';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { toProblem } from '../problems/from-domain.ts';
import type { Problem } from '../problems/problem.ts';
import { routeOf } from '../request-state.ts';
import { findJsonExcess } from './json-limits.ts';
import { findJsonFault } from './json-fault.ts';

/** Keeps bodies as bytes, because they are parsed only after path, query and headers are validated. */
export function keepBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/**
 * Parses the body as JSON (RFC 8259). Returns `malformed_json`, or `validation_failed` if it has more than the budget of
 * its route. Returns `absent`, if given, for an empty body.
 */
export function readJson(request: FastifyRequest, absent?: unknown): Result<unknown, Problem> {
  const bytes = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
    return absent === undefined ? err(malformed('The body must not be empty.')) : ok(absent);
  }
  const { bodyBudget } = routeOf(request);
  if (!bodyBudget) throw new Error('the route has no body');
  const { values } = bodyBudget;
  const excess = findJsonExcess(bytes, { values, depth: JSON_DEPTH_MAX });
  if (excess === 'depth') return err(tooMuch('invalid_value', `must be nested at most ${JSON_DEPTH_MAX} times`));
  if (excess === 'values') return err(tooMuch('too_long', `must have at most ${values} members and elements`));
  try {
    return ok(JSON.parse(UTF8.decode(bytes)));
  } catch {
    // The message of the engine quotes the body and differs between versions of Node.js.
    return err(malformed(describeFault(bytes)));
  }
}

/** Takes a fiftieth of the time of `toString` for the largest bodies. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Describes where a body stops being valid JSON, without quoting it. */
function describeFault(bytes: Buffer): string {
  const offset = findJsonFault(bytes);
  if (offset === undefined) return 'The body cannot be parsed.';
  return offset === bytes.length
    ? `The body is not valid JSON in UTF-8: it ends too early, at byte offset ${offset}.`
    : `The body is not valid JSON in UTF-8: the byte at offset ${offset} is unexpected.`;
}

function tooMuch(code: InvalidCode, message: string): Problem {
  return toProblem({ type: 'validation_failed', errors: [{ field: '', message, code }] });
}

function malformed(detail: string): Problem {
  return { code: 'malformed_json', detail };
}

/** Maximum number of objects and arrays that a value of a body is nested in: those of custom data, and the body itself. */
const JSON_DEPTH_MAX = CUSTOM_DEPTH_MAX + 1;
