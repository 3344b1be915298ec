import { head, type HostileRequest } from '../fixtures/raw-http.ts';

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
  ['a handshake of TLS', ...MALFORMED, bytes('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03')],
  ['the preface of HTTP/2', ...MALFORMED, bytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
  ['HTTP/0.9', ...MALFORMED, bytes('GET /v1/orders\r\n\r\n')],
  ['HTTP/1.2', ...MALFORMED, line('GET /v1/orders HTTP/1.2')],
  ['HTTP in lower case', ...MALFORMED, line('GET /v1/orders http/1.1')],
  ['a method in lower case', ...MALFORMED, line('get /v1/orders HTTP/1.1')],
  ['an unknown method', ...MALFORMED, line('FROB /v1/orders HTTP/1.1')],
  ['a method of WebDAV', 405, 'method_not_allowed', line('PROPFIND /v1/orders HTTP/1.1')],
  ['TRACE', 405, 'method_not_allowed', line('TRACE /v1/orders HTTP/1.1')],
  ['CONNECT to a server', 405, 'method_not_allowed', line('CONNECT orders.test:443 HTTP/1.1')],
  ['CONNECT to a path', 405, 'method_not_allowed', line('CONNECT /v1/orders HTTP/1.1')],
  ['no version', ...MALFORMED, line('GET /v1/orders')],
  ['a target without a slash', ...MALFORMED, line('GET v1/orders HTTP/1.1')],
  ['a target in asterisk form', ...MALFORMED, line('GET * HTTP/1.1')],
  ['a target of another scheme', 404, 'not_found', line('GET ftp://orders.test/v1/orders HTTP/1.1')],
  ['a target without a host', ...MALFORMED, line('GET http:///v1/orders HTTP/1.1')],
  ['a target with a user', ...MALFORMED, line('GET http://ada:secret@orders.test/v1/orders HTTP/1.1')],
  ['a target with a fragment', ...MALFORMED, line('GET /v1/orders#top HTTP/1.1')],
  ['a query with a fragment', ...MALFORMED, line('GET /v1/orders?limit=1#top HTTP/1.1')],
  ['a tab in the target', ...MALFORMED, line('GET /v1/or\tders HTTP/1.1')],
  ['a NUL in the target', ...MALFORMED, line('GET /v1/or\0ders HTTP/1.1')],
  ['non-ASCII bytes in the target', ...MALFORMED, line('GET /v1/\xc3\xa9 HTTP/1.1')],
  ['a path with parent segments', 404, 'not_found', line('GET /v1/../../etc/passwd HTTP/1.1')],
  ['a path with percent-encoded parent segments', 404, 'not_found', line('GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1')],
  ['a path with two slashes', 404, 'not_found', line('GET //v1/orders HTTP/1.1')],
  ['a path with a percent-encoded NUL', 400, 'invalid_parameter', line('GET /v1/orders/%00 HTTP/1.1')],
  ['a path with incomplete percent encoding', ...MALFORMED, line('GET /v1/orders/% HTTP/1.1')],
  ['a path with malformed percent encoding', ...MALFORMED, line('GET /v1/orders/%zz HTTP/1.1')],
  ['a path that is not UTF-8', ...MALFORMED, line('GET /v1/orders/%ff HTTP/1.1')],
  ['a query with incomplete percent encoding', ...MALFORMED, line('GET /v1/orders?reference=% HTTP/1.1')],
  ['a query with malformed percent encoding', ...MALFORMED, line('GET /v1/orders?reference=%zz HTTP/1.1')],
  ['a query that is not UTF-8', ...MALFORMED, line('GET /v1/orders?reference=%ff HTTP/1.1')],
  ['a query whose name is not UTF-8', ...MALFORMED, line('GET /v1/orders?%ff=1 HTTP/1.1')],
  ['a query with a surrogate', ...MALFORMED, line('GET /v1/orders?reference=%ed%a0%80 HTTP/1.1')],
  ['a malformed query on an unknown path', ...MALFORMED, line('GET /v1/nothing?%zz HTTP/1.1')],
  ['a parameter twice', 400, 'invalid_parameter', line('GET /v1/orders?limit=1&limit=2 HTTP/1.1')],
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
  ['an empty Host in HTTP/1.0', ...MALFORMED, () => head('GET /v1/orders HTTP/1.0', { Host: '' })],
  ['a Host with a space', ...MALFORMED, (key) => head(GET, { 'X-API-Key': key, Host: 'orders test' })],
  ['a Host with a path', ...MALFORMED, (key) => head(GET, { 'X-API-Key': key, Host: 'orders.test/v1' })],
  ['a Host with a user', ...MALFORMED, (key) => head(GET, { 'X-API-Key': key, Host: 'ada@orders.test' })],
  ['a malformed port', ...MALFORMED, (key) => head(GET, { 'X-API-Key': key, Host: 'orders.test:http' })],
  ['two Hosts', ...MALFORMED, lines('Host: other.test')],
  ['the same Host twice', ...MALFORMED, lines('host: orders.test')],
  ['two Hosts on an unknown path', ...MALFORMED, () => head('GET /v1/nothing HTTP/1.1\r\nHost: other.test')],
  ['a second Host after a thousand headers', ...MALFORMED, lines(`${'x:\r\n'.repeat(1500)}Host: other.test`)],
  ['a folded header', ...MALFORMED, lines('X-Other: a\r\n b')],
  ['a header without a colon', ...MALFORMED, lines('X-Other')],
  ['a header without a name', ...MALFORMED, lines(': a')],
  ['a space before the colon', ...MALFORMED, lines('X-Other : a')],
  ['a space in a name', ...MALFORMED, lines('X Other: a')],
  ['a NUL in a header', ...MALFORMED, lines('X-Other: a\0b')],
  ['a control character in a header', ...MALFORMED, lines('X-Other: a\x01b')],
  ['a carriage return in a header', ...MALFORMED, lines('X-Request-Id: a\rX-Evil: b')],
  ['lines without carriage returns', ...MALFORMED, (key) => line(GET)(key).replaceAll('\r\n', '\n')],
  ['a header above 16 KiB', 431, 'headers_too_large', lines(`X-Other: ${'x'.repeat(20_000)}`)],
  ['endless headers', 431, 'headers_too_large', lines('X-Other: x\r\n'.repeat(100_000))],
  ['two keys', 400, 'invalid_header', lines('X-API-Key: other')],
  ['a key and a token', 400, 'invalid_header', lines('Authorization: Bearer x')],
  ['an Accept without a supported type', 406, 'not_acceptable', lines('Accept: image/png')],
  ['an unsupported API version', 400, 'conflicting_parameters', lines('API-Version: 2')],
];
