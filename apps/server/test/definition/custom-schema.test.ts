import { INVALID_FIELDS_MAX } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../src/definition/schema-compiler.ts';
import { parserOf } from './definition-files.ts';

/** Returns the invalid fields of a value, a line for each. */
async function invalidIn(schema: unknown, value: unknown): Promise<readonly string[]> {
  const parse = await parserOf(schema);
  return parse(value).match(
    () => [],
    (fields) => fields.map(({ field, code, message }) => `${field} ${code}: ${message}`),
  );
}

const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const date = { ...text, format: 'date' };
const PERIOD = object({ from: date, to: { ...date, formatMinimum: { $data: '1/from' } } });

describe('custom data by a JSON schema', () => {
  it('is returned as it is', async () => {
    const parse = await parserOf(object({ a: { type: 'integer', default: 1 } }));
    expect(parse({ b: '1' })._unsafeUnwrap()).toEqual({ b: '1' });
    expect(parse({ a: '1' }).isErr()).toBe(true);
  });

  it.each([
    [object({ a: text }, { required: ['a'] }), {}, ['a required: is required']],
    [object({ a: text }, { additionalProperties: false }), { b: 1 }, ['b unknown_field: is not a known field']],
    [object({ a: text }, { unevaluatedProperties: false }), { b: 1 }, ['b unknown_field: is not a known field']],
    [{ ...text }, 1, [' wrong_type: must be a string']],
    [{ type: ['integer', 'null'] }, 'a', [' wrong_type: must be an integer or null']],
    [{ ...text, minLength: 2 }, 'a', [' too_short: must have at least 2 characters']],
    [{ ...text, maxLength: 1 }, 'ab', [' too_long: must have at most 1 character']],
    [{ type: 'array', minItems: 1 }, [], [' too_short: must have at least 1 item']],
    [{ type: 'array', maxItems: 1 }, [1, 2], [' too_long: must have at most 1 item']],
    [{ type: 'array', prefixItems: [true], items: false }, [1, 2], [' too_long: must have at most 1 item']],
    [{ type: 'object', maxProperties: 0 }, { a: 1 }, [' too_long: must have at most 0 members']],
    [{ type: 'number', minimum: 3 }, 2, [' out_of_range: must be at least 3']],
    [{ type: 'number', exclusiveMaximum: 3 }, 3, [' out_of_range: must be less than 3']],
    [{ type: 'number', multipleOf: 0.5 }, 0.3, [' invalid_value: must be a multiple of 0.5']],
    [PERIOD, { from: '2026-01-02', to: '2026-01-01' }, ['to out_of_range: must be at least 2026-01-02']],
    [PERIOD, { from: '2026-01-02', to: '2026-01-02' }, []],
    [PERIOD, { to: '2026-01-01' }, []],
    [
      { ...text, format: 'date-time', formatExclusiveMaximum: '2026-01-01T00:00:00Z' },
      '2025-12-31T23:30:00-01:00',
      [' out_of_range: must be before 2026-01-01T00:00:00Z'],
    ],
    [{ ...text, pattern: '^a+$' }, 'b', [' invalid_format: must match ^a+$']],
    [{ ...text, format: 'date' }, '2026-02-30', [' invalid_format: must have the format date']],
    [{ enum: ['a', 1, null] }, 'b', [' invalid_value: must be one of a, 1, null']],
    [{ const: { a: 1 } }, 2, [' invalid_value: must be {"a":1}']],
    [
      { type: 'array', uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [' invalid_value: must not contain an item twice'],
    ],
    [{ not: text }, 'a', [' invalid_value: must not be a value that its schema excludes']],
    [{ type: 'array', contains: text }, [1], [' invalid_value: must have an item that its schema requires']],
    [{ type: 'object', propertyNames: { pattern: '^a' } }, { b: 1 }, ['b invalid_value: must have another name']],
    [{ type: 'object', dependentRequired: { a: ['b'] } }, { a: 1 }, ['b required: is required with a']],
    [object({ a: false }), { a: 1 }, ['a invalid_value: must be absent']],
    [
      { if: { type: 'null' }, else: { minLength: 2, type: 'string' } },
      'a',
      [' too_short: must have at least 2 characters'],
    ],
  ])('is rejected in words of the API: %j with %j', async (schema, value, expected) => {
    expect(await invalidIn(schema, value)).toEqual(expected);
  });

  it.each([
    [
      'the one alternative of its type',
      [{ ...text, minLength: 3 }, { type: 'null' }],
      'ab',
      ' too_short: must have at least 3 characters',
    ],
    ['all types that it may have', [text, { type: 'null' }], 1, ' wrong_type: must be a string or null'],
    ['all values that it may have', [{ const: 'a' }, { const: 'b' }], 'c', ' invalid_value: must be a or b'],
    [
      'the alternatives, if several have its type',
      [object({ a: text }, { required: ['a'] }), object({ b: text }, { required: ['b'] })],
      {},
      ' invalid_value: must match one of the alternatives of its schema',
    ],
  ])('is rejected with %s', async (_, alternatives, value, expected) => {
    expect(await invalidIn({ anyOf: alternatives }, value)).toEqual([expected]);
    expect(await invalidIn({ oneOf: alternatives }, value)).toEqual([expected]);
  });

  it('is rejected if it matches two alternatives where one is allowed', async () => {
    expect(await invalidIn({ oneOf: [text, { minLength: 0, type: 'string' }] }, 'a')).toEqual([
      ' invalid_value: must match exactly one of the alternatives of its schema',
    ]);
  });

  it('is rejected with all its invalid fields, by paths as elsewhere in the API', async () => {
    const schema = object({ list: { type: 'array', items: object({ 'a.b': text, 0: text }) }, c: object({ d: text }) });
    expect(await invalidIn(schema, { list: [{}, { 'a.b': 1, 0: 2 }], c: { d: 3 } })).toEqual([
      'list[1]["0"] wrong_type: must be a string',
      'list[1]["a.b"] wrong_type: must be a string',
      'c.d wrong_type: must be a string',
    ]);
  });

  it('is checked by each of its patterns', async () => {
    const schema = object({ a: { ...text, pattern: '^a$' }, b: { ...text, pattern: '^b$' } });
    expect(await invalidIn(schema, { a: 'b', b: 'a' })).toEqual([
      'a invalid_format: must match ^a$',
      'b invalid_format: must match ^b$',
    ]);
  });

  it('has only members of its own, not those of every object', async () => {
    const schema = object({ toString: text, constructor: text }, { required: ['toString', 'constructor'] });
    const absent = ['toString required: is required', 'constructor required: is required'];
    expect(await invalidIn(schema, {})).toEqual(absent);
    expect(await invalidIn(schema, JSON.parse('{"toString":"a","constructor":"b","__proto__":1}'))).toEqual([]);
    expect(await invalidIn({ ...schema, additionalProperties: false }, JSON.parse('{"__proto__":1}'))).toHaveLength(3);
  });
});

describe('the errors of custom data', () => {
  const names = Array.from({ length: 60 }, (_, at) => `n${at}`);
  const listOf = (items: unknown) => ({ type: 'array', items });
  const oneOf = names.map((name) => ({ const: name }));
  const repeated = (value: unknown) => Array.from({ length: 5000 }, () => value);
  const members = Object.fromEntries(repeated(1).map((value, at) => [`k${at}`, value]));

  it.each([
    ['missing members', listOf(object({}, { required: names })), repeated({}), '[1].n39'],
    ['items without an alternative', listOf({ oneOf }), repeated(1), '[99]'],
    ['items of the one alternative', { anyOf: [listOf(listOf({ oneOf })), text] }, repeated([1]), '[99][0]'],
    ['unknown members', object({}, { additionalProperties: false }), members, 'k99'],
    ['unknown names', object({}, { propertyNames: { enum: names } }), members, 'k99'],
    ['items of a conditional schema', listOf({ if: { const: 2 }, else: { const: 2 } }), repeated(1), '[99]'],
    ['parts of items', { allOf: names.map(() => listOf(text)) }, repeated(1), '[99]'],
  ])('are the first hundred: %s', async (_, schema, value, last) => {
    expect(compileSchema(schema)(value).length).toBeLessThanOrEqual(INVALID_FIELDS_MAX);
    const fields = await invalidIn(schema, value);
    expect(fields).toHaveLength(INVALID_FIELDS_MAX);
    expect(fields.at(-1)?.split(' ')[0]).toBe(last);
  });

  it('do not count in an alternative that does not apply', async () => {
    expect(await invalidIn({ anyOf: [listOf(text), listOf({ type: 'integer' })] }, repeated(1))).toEqual([]);
    expect(await invalidIn({ type: 'array', contains: text }, [...repeated(1), 'a'])).toEqual([]);
  });

  it('are short, however long a name of the client or a list of values is', async () => {
    const longName = { ['\u{1F4E6}'.repeat(4000)]: repeated(1) };
    const nested = { type: 'object', additionalProperties: listOf({ oneOf }) };
    const fields = await invalidIn(nested, longName);
    expect(fields).toHaveLength(1);
    for (const field of fields) {
      expect(field.length).toBeLessThan(1300);
      expect(field.isWellFormed()).toBe(true);
      expect(field).toContain('must be one of the values of its schema');
    }
  });
});
