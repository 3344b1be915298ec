import type { IncomingMessage } from 'node:http';

/**
 * Maximum number of bytes of a body that are parsed after its response. Small, because a request without credentials can
 * cause it, and a body in chunks of one byte takes a hundred times as long as another one.
 */
export const REST_BYTES_MAX = 64 * 1024;

/** Returns every value of a header as sent. Node.js joins repeated values of some headers and drops those of others. */
export function sentValues({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  // Hand-written, and compares only names of the right length, because it runs for every request.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}

/** Whether a request has a body. A chunked one may be empty. */
export function sendsBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding !== undefined || (length !== undefined && length !== '0');
}

const TARGET = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(?:[?#](.*))?$/is;

/** Returns path and query of a request target as sent. Supports the absolute form (RFC 9112 section 3.2.2). */
export function readTarget(url: string): { readonly path: string; readonly query: string } {
  const [, path = '', query = ''] = TARGET.exec(url) ?? [];
  return { path, query };
}

/** The target of an OPTIONS request for the whole server (RFC 9112 section 3.2.4). */
export const WHOLE_SERVER = '*';

/** The form of most targets: a path with a query, and nothing to decode. */
const PLAIN_TARGET = /^\/[\w/-]*(?:\?[\w=&.,~-]*)?$/;

const FRAGMENT = '#';
const HAS_USER = /^https?:\/\/[^/?#]*@/i;

/**
 * Whether a target is valid: without fragment (RFC 9112 section 3.2) and user name (RFC 9110 section 4.2.4), and with a query
 * in percent-encoded UTF-8. The router checks the path.
 */
export function isValidTarget(url: string): boolean {
  if (PLAIN_TARGET.test(url)) return true;
  if (url.includes(FRAGMENT) || HAS_USER.test(url)) return false;
  try {
    decodeURIComponent(readTarget(url).query);
    return true;
  } catch {
    return false; // Invalid percent-encoding.
  }
}
