/**
 * A JSON schema with a number of parts, and elements as JSON text. An array of the elements, or an object under different
 * names, is costly to validate, or invalid in many ways.
 */
export type CostlyKeyword = readonly [schema: Schema, first: string, ...more: string[]];

type Schema = (parts: number) => { readonly type: 'array' | 'object' };

const parted = <T>(parts: number, of: (at: number) => T) => Array.from({ length: parts }, (_, at) => of(at));
const named = (parts: number, of: (at: number) => readonly [string, unknown]) => Object.fromEntries(parted(parts, of));
const constants = (parts: number) => parted(parts, (at) => ({ const: `constant ${at}` }));
const listOf = (items: (parts: number) => object) => (parts: number) =>
  ({ type: 'array', items: items(parts) }) as const;
const objectOf = (keywords: (parts: number) => object) => (parts: number) =>
  ({ type: 'object', ...keywords(parts) }) as const;

const text = { type: 'string' };
const integer = { type: 'integer' };
const full = objectOf((parts) => ({
  required: parted(parts, (at) => `m${at}`),
  properties: named(parts, (at) => [`m${at}`, text]),
}));
/** So many that they have less than 2,000 instructions together. */
const patterns = (parts: number) => Math.min(parts, 40);

const FORMATS = 'email uri uri-template regex hostname date-time duration json-pointer ipv6 byte'.split(' ');

/** The keywords that a definition may have, applied to many elements or members. */
export const COSTLY_KEYWORDS: Readonly<Record<string, CostlyKeyword>> = {
  oneOf: [listOf((parts) => ({ oneOf: constants(parts) })), '0', '"constant 0"', '[]'],
  anyOf: [listOf((parts) => ({ anyOf: constants(parts) })), '0', '"constant 59"', '{}'],
  'oneOf of objects': [
    listOf((parts) => ({
      oneOf: parted(parts, (at) => ({
        ...full(2),
        additionalProperties: false,
        properties: { m0: { const: at }, m1: text },
      })),
    })),
    '{}',
    '{"c":0}',
    '{"m0":0,"m1":0}',
  ],
  required: [listOf(full), '{}', '{"m0":0}', '[]'],
  enum: [listOf((parts) => ({ ...text, enum: parted(parts * 8, (at) => `value ${at}`) })), '"x"', '0', '"value 400"'],
  'enum of objects': [
    listOf((parts) => ({ enum: parted(parts * 8, (at) => ({ at, list: [at] })) })),
    '{"at":0,"list":[1]}',
    '{}',
    '{"at":9,"list":[9]}',
  ],
  pattern: [
    listOf((parts) => ({
      allOf: parted(patterns(parts), (at) => ({ ...text, pattern: `^(a|b|[a-z0-9]+){1,${at + 2}}$` })),
    })),
    '"!"',
    `"${'a'.repeat(200)}!"`,
    '"ab"',
    '0',
  ],
  uniqueItems: [
    () => ({ type: 'array', uniqueItems: true, items: { type: ['array', 'object', 'integer', 'string'] } }),
    '{}',
    '[[],{}]',
    '@',
    '{"a":@}',
    '"@"',
  ],
  contains: [
    (parts) => ({ type: 'array', allOf: parted(parts, (at) => ({ type: 'array', contains: { const: at } })) }),
    '"x"',
    '{}',
    '[0]',
  ],
  patternProperties: [
    objectOf((parts) => ({ patternProperties: named(patterns(parts), (at) => [`^.*${at}`, integer]) })),
    '""',
    '0',
  ],
  additionalProperties: [objectOf((parts) => ({ additionalProperties: { oneOf: constants(parts) } })), '0', '{}'],
  propertyNames: [objectOf((parts) => ({ propertyNames: { anyOf: constants(parts) } })), '0'],
  dependentSchemas: [objectOf((parts) => ({ dependentSchemas: named(parts, (at) => [`k${at}`, full(4)]) })), '0'],
  dependentRequired: [
    objectOf((parts) => ({
      dependentRequired: named(parts, (at) => [`k${at}`, parted(parts, (to) => `x${to}`)]),
    })),
    '0',
  ],
  'nested arrays of objects': [
    listOf((parts) => objectOf(() => ({ properties: { a: listOf(full)(parts) } }))(parts)),
    '{"a":[{},{},{},{},{},{}]}',
    '{"a":[0,0,0,0,0]}',
    '{"a":{}}',
  ],
  allOf: [listOf((parts) => ({ allOf: parted(parts, (at) => ({ ...text, minLength: at + 2 })) })), '""', '0', '"abc"'],
  not: [listOf((parts) => ({ allOf: parted(parts, (at) => ({ not: { const: at } })) })), '0', '1', '{}'],
  if: [
    listOf((parts) => ({ allOf: parted(parts, (at) => ({ if: { ...integer, minimum: -at }, else: text })) })),
    '0',
    '[]',
    '""',
  ],
  format: [
    listOf(() => ({ anyOf: FORMATS.map((format) => ({ ...text, format })) })),
    '""',
    ...['a', 'a.', 'a@', 'http://a:', '(', '1:', '{a}', '/~', 'P1'].map(
      (unit) => `"${unit.repeat(15_000 / unit.length)}"`,
    ),
  ],
  unevaluatedProperties: [
    objectOf((parts) => ({
      allOf: parted(parts, (at) => ({ type: 'object', properties: { [`k${at}`]: integer } })),
      unevaluatedProperties: false,
    })),
    '0',
    '""',
  ],
  tuples: [
    listOf((parts) => ({ type: 'array', prefixItems: parted(parts, () => text), minItems: parts, items: false })),
    '[]',
    '[0,0,0,0,0,0,0,0]',
    '0',
  ],
};
