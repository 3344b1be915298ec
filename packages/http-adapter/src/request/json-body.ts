import { CUSTOM_DEPTH_MAX, type InvalidCode } from '@orders/domain';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { toProblem } from '../problems/from-domain.ts';
import { PIECES_MAX, TOO_MANY_PIECES } from '../problems/from-framework.ts';
import type { Problem } from '../problems/problem.ts';
import { bodyBudgetOf } from '../request-state.ts';
import { findJsonFault } from './json-fault.ts';

/** Keeps bodies as bytes, because they are parsed only after path, query and headers are validated. */
export function keepBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/**
 * Rejects a body in more than {@link PIECES_MAX} pieces. Each piece costs about as much as 100 bytes, so that a body in
 * chunks of one byte would take a hundred times as long as another one.
 */
export const boundPieces: preParsingHookHandler = (_request, _reply, payload, done) => {
  let left = PIECES_MAX;
  const count = (): void => {
    left -= 1;
    if (left >= 0) return;
    payload.off('data', count);
    payload.emit('error', Object.assign(new Error('the body arrives in too many pieces'), { code: TOO_MANY_PIECES }));
  };
  payload.on('data', count);
  done();
};

/**
 * Parses the body as JSON (RFC 8259). Returns `malformed_json`, or `validation_failed` if it has more than the budget of
 * its route. Returns `absent`, if given, for an empty body.
 */
export function readJson(request: FastifyRequest, absent?: unknown): Result<unknown, Problem> {
  const bytes = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
    return absent === undefined ? err(malformed('The body must not be empty.')) : ok(absent);
  }
  const { values } = bodyBudgetOf(request);
  const excess = findExcess(bytes, values);
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

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns what is too much in a JSON text, or `undefined`. Counts each member and element once, and an empty object or
 * array once more. Reads the text up to the first excess, and builds nothing: to parse and to reject a text first would
 * cost up to a hundred times as much. What is found in a text that is no JSON means nothing.
 */
function findExcess(bytes: Uint8Array, valuesMax: number): 'depth' | 'values' | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = closingQuote(bytes, at);
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth -= 1;
    else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      values += 1;
      if (byte !== COMMA) depth += 1;
      if (depth > JSON_DEPTH_MAX) return 'depth';
      if (values > valuesMax) return 'values';
    }
  }
  return undefined;
}

/** Returns the offset of the quote that ends a string, or the length of the text. */
function closingQuote(bytes: Uint8Array, opening: number): number {
  let at = opening + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
