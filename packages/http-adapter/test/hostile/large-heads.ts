import type { Random } from '@orders/property-runs/random';
import { repeated } from './large-json.ts';

/** The size of generated headers and of generated paths with queries: Node.js accepts 16 KiB, the server 8 KiB. */
const HEAD_LIMIT = 15_000;
const URL_LIMIT = 8000;

type Units = readonly [string, ...string[]];

/** Units that are repeated as the value of a header, in which `@` is the number of a unit. */
const UNITS: Readonly<Record<string, Units>> = {
  accept: ['a/b@;q=0.@,', '*/*;q=0,', 'application/json;a=";,",', ';', 'text/html;a=1;', ','],
  'if-match': ['"1-1",', 'W/"@-1",', '"', '*,', ',', '"1-1" '],
  'if-none-match': ['"1-1",', 'W/"@-1",', '"', '*,', ',', '"1-1" '],
  prefer: ['p@=1,', 'return=minimal,', 'return="minimal', ';'],
  authorization: ['Bearer ', 'a', 'a.', '=', 'Basic a', ','],
  'x-api-key': ['a', '\xff', 'ord_', 'a,', 'a '],
  'content-type': ['application/json;', 'application/json; a="\\"', '/', 'a/b,', ';charset=utf-8'],
  'x-forwarded-for': ['10.0.0.@,', '::1,', ',', 'unknown, '],
  forwarded: ['for=10.0.0.@,', 'for="[::1]";'],
  'api-version': ['1', '1,', '9', '2026-01-01'],
  origin: ['https://a.example,', 'null', 'http://[', '%'],
  'idempotency-key': ['k', '"', '\\', 'k@,'],
  'accept-encoding': ['e@;q=0.5,', 'br;q=0,', '*,', 'gzip'],
  traceparent: ['00-', '0'],
  cookie: ['a=b; ', 'a@=b;'],
};

/** The families of headers. A header replaces one that a valid request has. */
export const HEADER_FAMILIES: Readonly<Record<string, (random: Random) => Readonly<Record<string, string>>>> = {
  ...Object.fromEntries(
    Object.entries(UNITS).map(([name, units]) => [
      `a long ${name}`,
      (random: Random) => ({ [name]: numbered(random.pick(units), random.size(HEAD_LIMIT)).trim() }),
    ]),
  ),
  'an escaped idempotency key': (random) => ({
    'idempotency-key': `"${repeated(random.pick(['\\"', '\\\\', 'k', '\\k']), random.size(510))}"`,
  }),
  'a used idempotency key': () => ({ 'idempotency-key': 'used' }),
  'many headers': (random) => Object.fromEntries(Array.from({ length: random.size(1500) }, (_, at) => [`x-${at}`, ''])),
};

/** Generates a query of the parameter names that a route has. */
type Query = (random: Random, names: Units) => string;

/** The families of queries. */
export const QUERY_FAMILIES: Readonly<Record<string, Query>> = {
  'a repeated parameter': (random, names) =>
    repeated(`${random.pick(names)}=${random.pick(['pending', '1', '', '%00', '%ff', '🙂'])}&`, random.size(URL_LIMIT)),
  'unknown parameters': (random) => numbered(random.pick(['u@=1&', '__proto__=1&', 'u@&']), random.size(URL_LIMIT)),
  'a long value': (random, names) => {
    const unit = random.pick(['pending,', 'order.placed,', ',', 'a', '9', '-', '+', '%41', '%F0%9F%98%80', '%2C']);
    return `${random.pick(names)}=${repeated(unit, random.size(URL_LIMIT))}`;
  },
  'a cursor of JSON': (random) => `after=${base64url(inJson(random, random.size(random.pick([380, URL_LIMIT / 2]))))}`,
  extremes: (random, names) =>
    `${random.pick(names)}=${random.pick(['-1', '0', '1e9', '10000', '2147483648', '9'.repeat(300), 'NaN', '100', '20'])}`,
  separators: (random) => repeated(random.pick(['&', '=', '?', ';', '&=', '&a', '[]', '%']), random.size(URL_LIMIT)),
  'nested brackets': (random, names) =>
    `${random.pick(names)}${repeated(random.pick(['[a]', '[]', '.a', '[']), random.size(URL_LIMIT))}=1`,
};

/** Generates the end of a path. */
export function hostilePath(random: Random): string {
  const units: Units = ['a', '%41', '%F0%9F%98%80', '/', 'a/', '../', '%2e%2e/', '%2f', '%', '%ff', '%00', ':', '\xff'];
  return repeated(random.pick(units), random.size(URL_LIMIT));
}

function inJson(random: Random, bytes: number): string {
  const half = bytes / 2;
  return random.pick([
    `${'['.repeat(half)}${']'.repeat(half)}`,
    `"${'a'.repeat(bytes)}"`,
    `[${'0,'.repeat(half)}0]`,
    `{"${'a'.repeat(bytes)}":0}`,
    '9'.repeat(bytes),
    '['.repeat(bytes),
  ]);
}

function numbered(unit: string, bytes: number): string {
  if (!unit.includes('@')) return repeated(unit, bytes);
  const count = Math.ceil(bytes / (unit.length + 3));
  return Array.from({ length: count }, (_, at) => unit.replaceAll('@', `${at}`)).join('');
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
