import { repeated } from './hostile-json.ts';
import type { Random } from './random.ts';

/** The maximum length of generated header values, and of paths with queries: the limits are those of Node.js and 8 KiB. */
const HEAD_LIMIT = 15_000;
const URL_LIMIT = 8000;

type Headers = Readonly<Record<string, string>>;

/** Generates an element of a list from its index. */
type Element = (at: number) => string;

const list = (random: Random, element: Element): string => {
  const count = random.size(Math.floor(HEAD_LIMIT / (element(9999).length + 1)));
  return Array.from({ length: count }, (_, at) => element(at)).join(',');
};

const base64url = (text: string) => Buffer.from(text).toString('base64url');

const tags = (random: Random) =>
  list(random, random.pick<Element>([() => '"1-1"', (at) => `W/"${at}-1"`, () => '"', () => '*', () => '']));

/** The families of headers. A header replaces one that a valid request has. */
export const HEADER_FAMILIES: Readonly<Record<string, (random: Random) => Headers>> = {
  'Accept with many ranges': (random) => ({
    accept: list(
      random,
      random.pick<Element>([(at) => `a/b${at};q=0.${at}`, () => '*/*;q=0', () => 'application/json;a=";,"', () => ';']),
    ),
  }),
  'Accept with many parameters': (random) => ({
    accept: `application/json${repeated(random.pick([';a=1', ';', ';q=1', '; a="']), random.size(HEAD_LIMIT))}`,
  }),
  'If-Match with many tags': (random) => ({ 'if-match': tags(random) }),
  'If-None-Match with many tags': (random) => ({ 'if-none-match': tags(random) }),
  Prefer: (random) => ({
    prefer: list(random, random.pick<Element>([(at) => `p${at}=1`, () => 'return=minimal', () => 'return="minimal'])),
  }),
  'a long bearer token': (random) => ({
    authorization: `Bearer ${repeated(random.pick(['a', 'a.', ' ', '=']), random.size(HEAD_LIMIT))}`,
  }),
  'a token with a deep header': (random) => {
    const bytes = random.size(HEAD_LIMIT / 2);
    const inner = random.pick([
      `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
      `"${'a'.repeat(bytes)}"`,
      `[${'0,'.repeat(bytes / 2)}0]`,
    ]);
    const head = random.pick([
      `{"alg":"ES256","kid":"known","crit":${inner}}`,
      `{"alg":"ES256","kid":${inner}}`,
      '{"alg":"none"}',
      inner,
    ]);
    return {
      authorization: `Bearer ${base64url(head)}.${base64url(random.pick(['{}', inner.slice(0, 2000), '{"exp":1e400}']))}.${'A'.repeat(86)}`,
    };
  },
  'other credentials': (random) => ({
    authorization: `${random.pick(['Basic', 'Digest', ''])} ${repeated('a', random.size(HEAD_LIMIT))}`,
  }),
  'a long API key': (random) => ({
    'x-api-key': `${random.pick(['ord_', ''])}${repeated(random.pick(['a', '\xff', ',', ' a']), random.size(HEAD_LIMIT))}`,
  }),
  'Content-Type with many parameters': (random) => ({
    'content-type': `application/json${repeated(random.pick([';a=1', ';', ';charset=utf-8', '; a="\\"', ' ', '/']), random.size(HEAD_LIMIT))}`,
  }),
  'X-Forwarded-For': (random) => ({
    'x-forwarded-for': list(random, random.pick<Element>([(at) => `10.0.0.${at}`, () => '::1', () => ''])),
  }),
  'Forwarded headers': (random) => ({
    'x-forwarded-host': list(random, () => 'a.example'),
    'x-forwarded-proto': 'https,',
  }),
  'API-Version': (random) => ({
    'api-version': random.pick(['1', '9'.repeat(random.size(HEAD_LIMIT)), list(random, () => '1')]),
  }),
  Origin: (random) => ({
    origin: repeated(random.pick(['https://a.example,', 'null', 'http://[', '%']), random.size(HEAD_LIMIT)),
  }),
  'a long idempotency key': (random) => ({
    'idempotency-key': repeated(random.pick(['k', '"', '\\']), random.size(HEAD_LIMIT)),
  }),
  'an escaped idempotency key': (random) => ({
    'idempotency-key': `"${repeated(random.pick(['\\"', '\\\\', 'k', '\\k']), random.size(510))}"`,
  }),
  'a used idempotency key': () => ({ 'idempotency-key': 'used' }),
  'Accept-Encoding': (random) => ({
    'accept-encoding': list(random, random.pick<Element>([(at) => `e${at};q=0.5`, () => 'br;q=0', () => '*'])),
  }),
  'Accept-Language': (random) => ({ 'accept-language': list(random, (at) => `a-${at};q=0.1`) }),
  Range: (random) => ({ range: `bytes=${list(random, (at) => `${at}-`)}` }),
  'Trace context': (random) => ({
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    tracestate: list(random, (at) => `k${at}=v`),
    baggage: list(random, (at) => `b${at}=v`).slice(0, 200),
  }),
  Cookie: (random) => ({ cookie: repeated('a=b; ', random.size(HEAD_LIMIT)) }),
  'many headers': (random) => Object.fromEntries(Array.from({ length: random.size(1500) }, (_, at) => [`x-${at}`, ''])),
};

/** Generates a query of the parameter names that a route has. */
type Query = (random: Random, names: readonly [string, ...string[]]) => string;

const VALUES = ['pending', 'order.placed', '1', '', '%00', '%ff', '🙂', '2026-01-01T00:00:00Z', '__proto__'] as const;

/** The families of queries. */
export const QUERY_FAMILIES: Readonly<Record<string, Query>> = {
  'a repeated parameter': (random, names) =>
    repeated(`${random.pick(names)}=${encoded(random)}&`, random.size(URL_LIMIT)),
  'unknown parameters': (random) => numbered(random, (at) => `u${at}=1&`),
  'many elements': (random, names) =>
    `${random.pick(names)}=${repeated(random.pick(['pending,', 'order.placed,', ',', 'x,']), random.size(URL_LIMIT))}`,
  'a long value': (random, names) =>
    `${random.pick(names)}=${repeated(random.pick(['a', '9', '%41', '%F0%9F%98%80', '+', '-']), random.size(URL_LIMIT))}`,
  'a cursor of JSON': (random) => {
    const bytes = random.size(random.pick([380, URL_LIMIT / 2]));
    const text = random.pick([
      '['.repeat(bytes),
      `{"${'a'.repeat(bytes)}":0}`,
      `[${'0,'.repeat(bytes / 2)}0]`,
      '9'.repeat(bytes),
    ]);
    return `after=${base64url(text)}`;
  },
  'an encoded query': (random, names) =>
    `${percent(random.pick(names))}=${percent('order.placed'.repeat(random.size(200)))}`,
  extremes: (random, names) =>
    `${random.pick(names)}=${random.pick(['-1', '0', '1e9', '10000', '2147483648', '9'.repeat(300), 'NaN', '100', '20'])}`,
  separators: (random) => repeated(random.pick(['&', '=', '?', ';', '&=', '&a', '[]', '%']), random.size(URL_LIMIT)),
  'nested brackets': (random, names) =>
    `${random.pick(names)}${repeated(random.pick(['[a]', '[]', '.a', '[']), random.size(URL_LIMIT))}=1`,
};

/** Generates the last segments of a path. */
export const PATH_FAMILIES: Readonly<Record<string, (random: Random) => string>> = {
  'a long segment': (random) => repeated(random.pick(['a', '%41', '%F0%9F%98%80', '-', '1']), random.size(URL_LIMIT)),
  'many segments': (random) =>
    repeated(random.pick(['/', 'a/', '../', './', '%2e%2e/', '%2f']), random.size(URL_LIMIT)),
  'a broken segment': (random) =>
    repeated(random.pick(['%', '%ff', '%00', '%ed%a0%80', ':', '*', '\xff']), random.size(URL_LIMIT)),
};

function numbered(random: Random, element: (at: number) => string): string {
  const count = random.size(Math.floor(URL_LIMIT / element(9999).length));
  return Array.from({ length: count }, (_, at) => element(at)).join('');
}

function encoded(random: Random): string {
  return encodeURIComponent(random.pick(VALUES));
}

function percent(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
    .join('')
    .slice(0, URL_LIMIT);
}
