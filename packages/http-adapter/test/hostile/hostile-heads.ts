import { head, type HostileRequest } from '../fixtures/request-head.ts';

const GET = 'GET /v1/orders HTTP/1.1';
const MALFORMED = [400, 'malformed_request'] as const;

/** Returns a request line with valid headers. */
const line = (requestLine: string) => (key: string) => head(requestLine, { 'X-API-Key': key });
/** Returns a valid request line with additional raw headers. */
const lines = (headers: string) => (key: string) => `${line(GET)(key).slice(0, -2)}${headers}\r\n\r\n`;
const bytes = (text: string) => () => text;

/** Requests with an invalid first line. */
export const HOSTILE_LINES: readonly HostileRequest[] = [
  ['text that is not HTTP', ...MALFORMED, bytes('nonsense\r\n\r\n')],
  ['a line of the PROXY protocol', ...MALFORMED, bytes('PROXY TCP4 192.0.2.9 127.0.0.1 1 2\r\n')],
  ['the preface of HTTP/2', ...MALFORMED, bytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
  ['HTTP/0.9', ...MALFORMED, bytes('GET /v1/orders\r\n\r\n')],
  ['HTTP/1.2', ...MALFORMED, line('GET /v1/orders HTTP/1.2')],
  ['an unknown method', ...MALFORMED, line('FROB /v1/orders HTTP/1.1')],
  ['CONNECT to a server', 405, 'method_not_allowed', line('CONNECT orders.test:443 HTTP/1.1')],
  ['CONNECT to a path', 405, 'method_not_allowed', line('CONNECT /v1/orders HTTP/1.1')],
  ['a target without a slash', ...MALFORMED, line('GET v1/orders HTTP/1.1')],
  ['a target in asterisk form', ...MALFORMED, line('GET * HTTP/1.1')],
  ['a target of another scheme', 404, 'not_found', line('GET ftp://orders.test/v1/orders HTTP/1.1')],
  ['a target with a user', ...MALFORMED, line('GET http://ada:secret@orders.test/v1/orders HTTP/1.1')],
  ['a target with a fragment', ...MALFORMED, line('GET /v1/orders#top HTTP/1.1')],
  ['a tab in the target', ...MALFORMED, line('GET /v1/or\tders HTTP/1.1')],
  ['non-ASCII bytes in the target', ...MALFORMED, line('GET /v1/\xc3\xa9 HTTP/1.1')],
  ['a path with parent segments', 404, 'not_found', line('GET /v1/../../etc/passwd HTTP/1.1')],
  ['a path with two slashes', 404, 'not_found', line('GET //v1/orders HTTP/1.1')],
  ['a path with a percent-encoded NUL', 400, 'invalid_parameter', line('GET /v1/orders/%00 HTTP/1.1')],
  ['a path with malformed percent encoding', ...MALFORMED, line('GET /v1/orders/%zz HTTP/1.1')],
  ['a path that is not UTF-8', ...MALFORMED, line('GET /v1/orders/%ff HTTP/1.1')],
  ['a query with incomplete percent encoding', ...MALFORMED, line('GET /v1/orders?reference=% HTTP/1.1')],
  ['a query that is not UTF-8', ...MALFORMED, line('GET /v1/orders?reference=%ff HTTP/1.1')],
  ['a query with a surrogate', ...MALFORMED, line('GET /v1/orders?reference=%ed%a0%80 HTTP/1.1')],
  ['a malformed query on an unknown path', ...MALFORMED, line('GET /v1/nothing?%zz HTTP/1.1')],
  ['a parameter named __proto__', 400, 'unknown_parameter', line('GET /v1/orders?__proto__=1 HTTP/1.1')],
  ['a line break in a parameter', 400, 'unknown_parameter', line('GET /v1/orders?%0d%0aX-Evil:1=1 HTTP/1.1')],
  ['a line break in an id', 400, 'invalid_parameter', line('GET /v1/orders/%0d%0aX-Evil:1 HTTP/1.1')],
  ['a target above 8 KiB', 414, 'uri_too_long', line(`GET /v1/orders?${'x'.repeat(8192)} HTTP/1.1`)],
  ['an endless target', 431, 'headers_too_large', line(`GET /${'x'.repeat(100_000)} HTTP/1.1`)],
];

/** Requests with invalid headers. */
export const HOSTILE_HEADERS: readonly HostileRequest[] = [
  ['no Host', ...MALFORMED, (key) => `${GET}\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`],
  ['an empty Host', ...MALFORMED, (key) => head(GET, { 'X-API-Key': key, Host: '' })],
  ['a Host with a space', ...MALFORMED, (key) => head(GET, { 'X-API-Key': key, Host: 'orders test' })],
  ['a Host with a user', ...MALFORMED, (key) => head(GET, { 'X-API-Key': key, Host: 'ada@orders.test' })],
  ['a malformed port', ...MALFORMED, (key) => head(GET, { 'X-API-Key': key, Host: 'orders.test:http' })],
  ['two Hosts', ...MALFORMED, lines('Host: other.test')],
  ['the same Host twice', ...MALFORMED, lines('host: orders.test')],
  ['a second Host after a thousand headers', ...MALFORMED, lines(`${'x:\r\n'.repeat(1500)}Host: other.test`)],
  ['a folded header', ...MALFORMED, lines('X-Other: a\r\n b')],
  ['a header without a colon', ...MALFORMED, lines('X-Other')],
  ['a space in the name of a header', ...MALFORMED, lines('X Other: a')],
  ['a space before the colon', ...MALFORMED, lines('X-Other : a')],
  ['a NUL in a header', ...MALFORMED, lines('X-Other: a\0b')],
  ['a carriage return in a header', ...MALFORMED, lines('X-Request-Id: a\rX-Evil: b')],
  ['lines without carriage returns', ...MALFORMED, (key) => line(GET)(key).replaceAll('\r\n', '\n')],
  ['a header above 16 KiB', 431, 'headers_too_large', lines(`X-Other: ${'x'.repeat(20_000)}`)],
  ['endless headers', 431, 'headers_too_large', lines('X-Other: x\r\n'.repeat(100_000))],
  ['a key and a token', 400, 'invalid_header', lines('Authorization: Bearer x')],
];
