import { aNewOrder } from '../fixtures/new-orders.ts';
import { head, type HostileRequest } from '../fixtures/request-head.ts';

const MALFORMED = [400, 'malformed_request'] as const;
const UNSUPPORTED = [415, 'unsupported_media_type'] as const;
const INVALID = [422, 'validation_failed'] as const;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHUNKED = { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' };

const post =
  (headers: Readonly<Record<string, string>>, body: string, version = '1.1') =>
  (key: string) =>
    head(`POST /v1/orders HTTP/${version}`, { 'X-API-Key': key, ...headers }) + body;

const json = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  post({ ...JSON_TYPE, 'Content-Length': `${Buffer.byteLength(body, 'latin1')}`, ...headers }, body);
const chunk = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n`;
const deep = '['.repeat(100_000) + ']'.repeat(100_000);
const order = JSON.stringify(aNewOrder());
const orderWith = (members: string) => `${order.slice(0, -1)},${members}}`;

/** Transfer codings other than exactly `chunked`. Sent twice, a header is one list (RFC 9110 section 5.3). */
const TRANSFER_CODINGS = [
  'gzip, chunked',
  'chunked, gzip',
  'chunked, chunked',
  'chunked,',
  'xchunked',
  '',
  'gzip\r\nTransfer-Encoding: chunked',
  'chunked\r\nTransfer-Encoding: chunked',
];
const OTHER_TYPES = ['application/problem+json', 'application/jsonx', '', 'application/json;x=y;charset=latin1'];

/** Requests whose body has a wrong or ambiguous length. */
export const HOSTILE_FRAMES: readonly HostileRequest[] = [
  ['two lengths', ...MALFORMED, json('{}', { 'content-length': '3' })],
  ['a length that is a list', ...MALFORMED, json('{}', { 'Content-Length': '2, 2' })],
  ['a length above the largest number', ...MALFORMED, json('{}', { 'Content-Length': '9'.repeat(30) })],
  ['a length shorter than the body', 400, 'malformed_json', json('{}', { 'Content-Length': '1' })],
  ['a length and chunks', ...MALFORMED, json('{}', { 'Transfer-Encoding': 'chunked' })],
  ...TRANSFER_CODINGS.map((coding): HostileRequest => [
    coding,
    ...MALFORMED,
    post({ ...CHUNKED, 'Transfer-Encoding': coding }, '0\r\n\r\n'),
  ]),
  ['chunks in HTTP/1.0', ...MALFORMED, post(CHUNKED, `${chunk(order)}0\r\n\r\n`, '1.0')],
  ['a chunk whose length is not a number', ...MALFORMED, post(CHUNKED, 'zz\r\n{}\r\n0\r\n\r\n')],
  ['a chunk shorter than its length', ...MALFORMED, post(CHUNKED, `${'f'.repeat(17)}\r\n{}`)],
  ['a chunk with an endless extension', 413, 'payload_too_large', post(CHUNKED, `2;${'x'.repeat(20_000)}\r\n{}\r\n`)],
  ['endless trailers', 431, 'headers_too_large', post(CHUNKED, `2\r\n{}\r\n0\r\nX-Other: ${'x'.repeat(20_000)}\r\n`)],
  ['a broken chunk after a valid one', ...MALFORMED, post(CHUNKED, `${chunk(order)}zz\r\n`)],
  ['a body above the limit', 413, 'payload_too_large', json('{}', { 'Content-Length': '2000001' })],
  ['chunks above the limit', 413, 'payload_too_large', post(CHUNKED, chunk('x'.repeat(2_000_001)))],
];

/** Requests with an invalid body. */
export const HOSTILE_BODIES: readonly HostileRequest[] = [
  ['no media type', ...UNSUPPORTED, post({ 'Content-Length': '2' }, '{}')],
  ['chunks of no media type', ...UNSUPPORTED, post({ 'Transfer-Encoding': 'chunked' }, `${chunk(order)}0\r\n\r\n`)],
  ['a malformed media type', ...UNSUPPORTED, json(order, { 'Content-Type': 'json' })],
  ...OTHER_TYPES.map((type): HostileRequest => [type, ...UNSUPPORTED, json('{}', { 'Content-Type': type })]),
  ['an unsupported API version', ...UNSUPPORTED, json(order, { 'Content-Type': 'application/vnd.orders.v2+json' })],
  ['two media types', ...UNSUPPORTED, json(order, { 'content-type': 'text/plain' })],
  ['another charset', ...UNSUPPORTED, json(order, { 'Content-Type': 'application/json; charset=utf-16' })],
  ['a compressed body', ...UNSUPPORTED, json(order, { 'Content-Encoding': 'gzip' })],
  ['no body', 400, 'malformed_json', post({}, '')],
  ['an empty body in chunks', 400, 'malformed_json', post(CHUNKED, '0\r\n\r\n')],
  ['JSON with a suffix', 400, 'malformed_json', json('{} {}')],
  ['bytes that are not UTF-8', 400, 'malformed_json', json('"\xff"')],
  ['a byte order mark', 400, 'malformed_json', json(`\xef\xbb\xbf${order}`)],
  ['one hundred thousand nested lists', ...INVALID, json(deep)],
  ['the same lists as metadata', ...INVALID, json(orderWith(`"metadata":{"a":${deep}}`))],
  ['a prototype', ...INVALID, json(orderWith('"__proto__":{"status":"paid"}'))],
  ['a prototype as metadata that is not text', ...INVALID, json(orderWith('"metadata":{"__proto__":{"a":"b"}}'))],
  ['a number above the largest number', ...INVALID, json(orderWith('"note":1e999'))],
  ['a NUL in text', ...INVALID, json(orderWith(String.raw`"note":"\u0000"`))],
  ['a lone surrogate in text', ...INVALID, json(orderWith(String.raw`"note":"\ud800"`))],
  [
    'ten thousand unknown fields',
    ...INVALID,
    json(orderWith(Array.from({ length: 1e4 }, (_, n) => `"f${n}":1`).join())),
  ],
];
