import fc from 'fast-check';
import type { RequestSchema } from './request-schema.ts';

/** Characters that encoding or storage may handle wrongly. */
const ODD = [
  '\n',
  '\u0001',
  '\u007f',
  '\u0085',
  ' ',
  '"',
  '\\',
  'é',
  'e\u0301',
  '😀',
  '\ufeff',
  '\u2028',
  '%',
  '&',
  '+',
];
/** Names of inherited members of objects. */
const NATIVE = ['__proto__', 'constructor', 'hasOwnProperty'];
const unit = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 1 }) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD) },
);
const anyText = fc.oneof(
  { weight: 60, arbitrary: fc.string({ unit, maxLength: 12 }) },
  { weight: 3, arbitrary: fc.constantFrom(...NATIVE) },
  { weight: 1, arbitrary: fc.constantFrom('\ud800', 'a\udfffb') },
);
const uuids = fc.oneof(
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.stringMatching(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/),
);

/** Dates and times in every form that RFC 3339 allows, and that JavaScript supports at every offset. */
const dateTimes = fc
  .record({
    at: fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
    fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,9}$/)),
    offset: fc.oneof(fc.constantFrom('Z', 'z'), fc.stringMatching(/^[+-]([01][0-9]|2[0-3]):[0-5][0-9]$/)),
    separator: fc.constantFrom('T', 't'),
  })
  .map(({ at, fraction, offset, separator }) => {
    const [date = '', time = ''] = at.toISOString().split('T');
    return `${date}${separator}${time.slice(0, 8)}${fraction}${offset}`;
  });

/** URIs of the schemes that the pattern of a schema allows. */
const uris = fc
  .record({
    scheme: fc.constantFrom('https', 'https', 'https', 'HTTPS', 'http'),
    user: fc.constantFrom('', '', '', 'ada@', 'ada:secret@'),
    host: fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
    ),
    port: fc.constantFrom('', '', '', ':443', ':8443'),
    path: fc.oneof(fc.constant(''), fc.webPath()),
    query: fc.oneof(
      fc.constant(''),
      fc.webQueryParameters().map((query) => `?${query}`),
    ),
  })
  .map(({ scheme, user, host, port, path, query }) => `${scheme}://${user}${host}${port}${path}${query}`);

/** Returns the length of a text in code points, as schemas count it. */
function codePoints(text: string): number {
  return Array.from(text).length;
}

/** Generates texts that `schema` allows, including the shortest and the longest. */
export function validTexts(schema: RequestSchema): fc.Arbitrary<string> {
  const { values, isUuid, isDateTime, isUri, minLength, maxLength } = schema;
  if (values) return fc.constantFrom(...values);
  if (isUuid) return uuids;
  if (isDateTime) return dateTimes;
  if (isUri) return longest(uris, maxLength);
  const some = patterned(schema).filter((text) => fits(schema, text));
  return fc.oneof(
    { weight: 4, arbitrary: some },
    { weight: 1, arbitrary: some.map((text) => grown(schema, text, maxLength) ?? text) },
    { weight: 1, arbitrary: some.map((text) => (minLength === 0 && fits(schema, '') ? '' : text)) },
  );
}

/** Generates URIs, some of them of the maximum length. */
function longest(texts: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> {
  const short = texts.filter((text) => text.length <= maxLength);
  const long = short.map((text) =>
    text
      .replace(/\?.*/, '')
      .padEnd(maxLength - 1, '/')
      .padEnd(maxLength, 'a'),
  );
  return fc.oneof({ weight: 4, arbitrary: short }, { weight: 1, arbitrary: long });
}

/** Generates texts that match the pattern, of any length. */
function patterned({ pattern }: RequestSchema): fc.Arbitrary<string> {
  if (!pattern) return anyText;
  // A pattern that matches all of these matches nearly every text.
  return ODD.every((text) => pattern.test(text)) ? anyText.filter((text) => pattern.test(text)) : matching(pattern);
}

function matching(pattern: RegExp): fc.Arbitrary<string> {
  return fc.oneof(fc.stringMatching(pattern), fc.stringMatching(pattern, { size: 'medium' }));
}

function fits({ pattern, minLength, maxLength }: RequestSchema, text: string): boolean {
  const length = codePoints(text);
  return length >= minLength && length <= maxLength && (pattern?.test(text) ?? true);
}

/** Returns `text` with one character repeated up to `length`, if the pattern allows it. */
function grown({ pattern }: RequestSchema, text: string, length: number): string | undefined {
  const characters = Array.from(text);
  // The middle of a pattern most often allows repetition.
  const middle = Math.floor(characters.length / 2);
  for (const index of [middle, middle - 1, 0]) {
    const character = characters[index];
    if (character === undefined) continue;
    const longer = characters.with(index, character.repeat(Math.max(1, length - characters.length + 1))).join('');
    if (pattern?.test(longer) ?? true) return longer;
  }
  return undefined;
}

/**
 * Characters that narrow patterns do not match. Without a comma, as header lists may have empty elements (RFC 9110
 * section 5.6.1).
 */
const BREAKERS = ['\0', ' ', '"', '@', '/', '.', 'é', '\n', '\u007f', '😀', 'x'];

/** Returns invalid texts of `schema` by the broken rule. `carried` checks which texts can be sent. */
export function invalidTexts(
  schema: RequestSchema,
  carried: (text: string) => boolean,
): Readonly<Record<string, fc.Arbitrary<string>>> {
  const { values, isUuid, isDateTime, isUri, pattern, minLength, maxLength } = schema;
  const some = validTexts(schema).filter(carried);
  if (values) return { 'not one of the values': otherValues(values) };
  const breakers = BREAKERS.filter((character) => carried(`a${character}a`) && pattern?.test(character) === false);
  return {
    ...(minLength > 0 && {
      'too short': some.map((text) =>
        Array.from(text)
          .slice(0, minLength - 1)
          .join(''),
      ),
    }),
    ...(carried('a'.repeat(maxLength < LONGEST ? maxLength + 1 : LONGEST + 1)) && {
      'too long': some.map((text) => grown(schema, text, maxLength + 1) ?? text.padEnd(maxLength + 1, 'a')),
    }),
    ...(isUuid && { 'not a UUID': fc.tuple(some, fc.nat()).map(([text, place]) => withoutHexAt(text, place)) }),
    ...(isDateTime && { 'no date or time': fc.constantFrom(...NO_DATE_TIMES) }),
    ...(isUri && { 'no URI': fc.constantFrom(...NO_URIS) }),
    ...(pattern &&
      breakers.length > 0 && {
        'against the pattern': fc
          .tuple(some, fc.nat(), fc.constantFrom(...breakers))
          .map(([text, place, character]) => broken(text, place, character, maxLength))
          .filter((text) => carried(text) && !pattern.test(text) && codePoints(text) >= minLength),
      }),
  };
}

/** Texts in the form of a date and time of which no such date, time or offset exists. */
const NO_DATE_TIMES = [
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:00+24:00',
];

/** Texts that begin like a URI. */
const NO_URIS = ['https://two words.com/', 'https://example<.com/', 'https://[::1'];

/** Maximum length of generated texts. */
const LONGEST = 1_000_000;

function otherValues(values: readonly string[]): fc.Arbitrary<string> {
  return fc
    .constantFrom(...values)
    .chain((value) => fc.constantFrom('', 'x', `${value} `, `${value}x`, value.toUpperCase(), value.toLowerCase()))
    .filter((text) => !values.includes(text));
}

function withoutHexAt(text: string, place: number): string {
  const index = place % text.length;
  return `${text.slice(0, index)}g${text.slice(index + 1)}`;
}

function broken(text: string, place: number, character: string, maxLength: number): string {
  const characters = Array.from(text);
  const replaced = characters.length >= maxLength ? 1 : 0;
  return characters.toSpliced(place % (characters.length + 1 - replaced), replaced, character).join('');
}
