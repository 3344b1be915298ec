import fc from 'fast-check';
import type { RequestSchema } from './request-schema.ts';

/** Characters that something in the way of a text might take amiss. */
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
/** Names that objects have by nature. */
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

/** How long a text is to a schema. */
function codePoints(text: string): number {
  return Array.from(text).length;
}

/** Texts that `schema` allows, its shortest and its longest among them. */
export function validTexts(schema: RequestSchema): fc.Arbitrary<string> {
  const { values, isUuid, minLength, maxLength } = schema;
  if (values) return fc.constantFrom(...values);
  if (isUuid) return uuids;
  const some = patterned(schema).filter((text) => fits(schema, text));
  return fc.oneof(
    { weight: 4, arbitrary: some },
    { weight: 1, arbitrary: some.map((text) => grown(schema, text, maxLength) ?? text) },
    { weight: 1, arbitrary: some.map((text) => (minLength === 0 && fits(schema, '') ? '' : text)) },
  );
}

/** Texts that have the pattern, whatever their length. */
function patterned({ pattern }: RequestSchema): fc.Arbitrary<string> {
  if (!pattern) return anyText;
  // A pattern that takes all of these keeps out hardly any text.
  return ODD.every((text) => pattern.test(text)) ? anyText.filter((text) => pattern.test(text)) : matching(pattern);
}

function matching(pattern: RegExp): fc.Arbitrary<string> {
  return fc.oneof(fc.stringMatching(pattern), fc.stringMatching(pattern, { size: 'medium' }));
}

function fits({ pattern, minLength, maxLength }: RequestSchema, text: string): boolean {
  const length = codePoints(text);
  return length >= minLength && length <= maxLength && (pattern?.test(text) ?? true);
}

/** `text` with one of its characters repeated until it has `length`, if the pattern lets it grow so. */
function grown({ pattern }: RequestSchema, text: string, length: number): string | undefined {
  const characters = Array.from(text);
  // The middle is the likeliest to have no end.
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
 * Characters one of which no narrow pattern takes. No comma: a list in a header may have one too
 * many (RFC 9110 section 5.6.1).
 */
const BREAKERS = ['\0', ' ', '"', '@', '/', '.', 'é', '\n', '\u007f', '😀', 'x'];

/** Each way in which a text can break `schema`, by the rule that it breaks. `carried` says what can be sent at all. */
export function invalidTexts(
  schema: RequestSchema,
  carried: (text: string) => boolean,
): Readonly<Record<string, fc.Arbitrary<string>>> {
  const { values, isUuid, pattern, minLength, maxLength } = schema;
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
    ...(isUuid && { 'no UUID': fc.tuple(some, fc.nat()).map(([text, place]) => withoutHexAt(text, place)) }),
    ...(pattern &&
      breakers.length > 0 && {
        'not of the pattern': fc
          .tuple(some, fc.nat(), fc.constantFrom(...breakers))
          .map(([text, place, character]) => broken(text, place, character, maxLength))
          .filter((text) => carried(text) && !pattern.test(text) && codePoints(text) >= minLength),
      }),
  };
}

/** No text is made longer than this. */
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
