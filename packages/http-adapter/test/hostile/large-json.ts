import type { Random } from '@orders/property-runs/random';

/** Generates JSON text of about `bytes` bytes, which need not be valid. `valid` is a value that the place allows. */
export type HostileValue = (random: Random, bytes: number, valid: unknown) => string;

const VALUES = ['null', '0', '""', '{}', '[]', 'true', '[[]]', '{"a":0}', '"\\u0000"'] as const;
const UTF8 = [utf8('😀'), utf8('é')] as const;
const CHARACTERS = ['a', '\\u0041', '\\ud800', '\\udc00\\ud800', '\\u0000', '\\n', '\\"', ...UTF8] as const;
const EVIL_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'] as const;

/** The families of values that stand for any value of a body. */
export const HOSTILE_VALUES: Readonly<Record<string, HostileValue>> = {
  'open brackets': (_random, bytes) => '['.repeat(bytes),
  'open objects': (random, bytes) => repeated(random.pick(['{"a":', '[{"a":', '{"":[']), bytes),
  'nested arrays': (_random, bytes) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
  'nested objects': (_random, bytes) => `${'{"a":'.repeat(bytes / 6)}0${'}'.repeat(bytes / 6)}`,
  'null members': (_random, bytes) => members(bytes, (at) => `"k${at}":null`),
  members: (random, bytes) => members(bytes, withValue(random.pick(VALUES))),
  'the same member': (random, bytes) => members(bytes, () => '"note":0', random.pick(['', '"a":1,'])),
  'members of prototypes': (random, bytes) => {
    const name = random.pick(EVIL_NAMES);
    return random.below(2) === 0
      ? `{"${name}":${members(bytes, withValue('0'))}}`
      : `${`{"${name}":`.repeat(bytes / (name.length + 5))}0${'}'.repeat(bytes / (name.length + 5))}`;
  },
  'long names': (random, bytes) => {
    const length = random.size(Math.max(1, bytes));
    const name = repeated(random.pick(CHARACTERS), length);
    return members(bytes, (at) => `"${at}${name}":null`);
  },
  elements: (random, bytes) => elements(random.pick(VALUES), bytes),
  'copies of a valid element': (_random, bytes, valid) => elements(JSON.stringify(elementOf(valid)), bytes),
  'a long string': (random, bytes) => `"${repeated(random.pick(CHARACTERS), bytes)}"`,
  'a long number': (random, bytes) => {
    const digits = random.pick(['0', '1', '9']).repeat(bytes);
    return random.pick([`1${digits}`, `-0.${digits}1`, `1e${digits}`, `1e-${digits}`, '1e400', '-0', `0${digits}`]);
  },
  'a wrong type': (random) =>
    random.pick(['-1', '1e400', '-0', 'false', '""', 'NaN', '"__proto__"', '{"a":{}}', '[0]']),
};

const withValue = (value: string) => (at: number) => `"k${at}":${value}`;

function members(bytes: number, member: (at: number) => string, first = ''): string {
  const count = Math.max(1, Math.floor(bytes / (member(99_999).length + 1)));
  return `{${first}${Array.from({ length: count }, (_, at) => member(at)).join(',')}}`;
}

function elements(element: string, bytes: number): string {
  const count = Math.max(1, Math.floor(bytes / (element.length + 1)));
  return `[${`${element},`.repeat(count - 1)}${element}]`;
}

function elementOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

export function repeated(text: string, bytes: number): string {
  return text.repeat(Math.max(1, bytes / text.length));
}

/** Returns the bytes of a text in UTF-8 as characters, as requests are sent. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Generators of text that is no JSON, or has something beside it, from the largest valid body. */
export const malformed = (
  limit: number,
): Readonly<Record<string, (random: Random, valid: Readonly<Record<string, unknown>>) => string>> => ({
  'white space only': (random) => repeated(random.pick([' ', '\n', '\t', '\r\n']), random.size(limit)),
  'padding around the body': (random, valid) => {
    const text = utf8(JSON.stringify(valid));
    const space = repeated(random.pick([' ', '\n', '\t']), Math.max(1, random.size(limit) - text.length));
    return random.pick([`${space}${text}`, `${text}${space}`, `{${space}${text.slice(1)}`]);
  },
  'a broken byte': (random, valid) => {
    const text = utf8(JSON.stringify(valid));
    const at = random.below(text.length);
    return `${text.slice(0, at)}${String.fromCharCode(random.below(256))}${text.slice(at + 1)}`;
  },
  'invalid UTF-8': (random) =>
    `{"note":"${repeated(random.pick(['\xff', '\xc0\x80', '\xed\xa0\x80', '\xf0\x9f']), random.size(limit) - 11)}"}`,
  'text after the body': (random, valid) => {
    const text = utf8(JSON.stringify(valid));
    return `${text}${repeated(random.pick(['{}', ']', 'x', ',']), Math.max(1, random.size(limit) - text.length))}`;
  },
  'no JSON': (random) =>
    repeated(random.pick(['x', '"', '\\', '//', '{', '}', ',', 'nul', '\xef\xbb\xbf', '\0']), random.size(limit)),
  'a byte too many': (random) => repeated(random.pick([' ', '[', '0']), limit + 1),
});
