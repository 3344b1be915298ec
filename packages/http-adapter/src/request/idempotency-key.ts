import type { FastifyRequest } from 'fastify';
import type { RequestFaults } from './request-faults.ts';

const BARE = /^[\x21\x23-\x7e][\x21-\x7e]{0,254}$/;
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/;

/** The `Idempotency-Key`, bare or as a quoted string (RFC 9651 section 3.3.3), which are the same key. */
export function readIdempotencyKey(request: FastifyRequest, faults: RequestFaults): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const value = typeof header === 'string' ? header : header.join(', ');
  const key = BARE.test(value) ? value : QUOTED.exec(value)?.[1]?.replaceAll(/\\(["\\])/g, '$1');
  if (key !== undefined && key.length <= 255) return key;
  const rule = 'must be 1 to 255 visible ASCII characters, bare or in quotes';
  return faults.add('invalid_idempotency_key', 'Idempotency-Key', 'invalid_format', rule);
}

/** The header that tells a replay from a first response. */
export function replayHeader(replayed: boolean): Record<string, string> {
  return replayed ? { 'idempotent-replayed': 'true' } : {};
}
