import { describe, expect, it } from 'vitest';
import { mergePatchSchema } from '../../../src/api/orders/merge-patch-schema.ts';
import { rebased } from '../../../src/api/orders/rebased-schema.ts';

const WHOLE = '#/components/schemas/OrderCustom';
const PATCH = '#/components/schemas/OrderCustomPatch';
const patchOf = (schema: Readonly<Record<string, unknown>>) => mergePatchSchema(schema, WHOLE, PATCH);

const TEXT = { type: 'string', maxLength: 5 };
const TEXT_OR_NULL = { type: ['string', 'null'], maxLength: 5 };

const PATCHES: readonly (readonly [string, Readonly<Record<string, unknown>>, unknown])[] = [
  [
    'an object, whose members are optional and can be null',
    { type: 'object', required: ['a'], minProperties: 1, properties: { a: TEXT }, additionalProperties: false },
    { type: 'object', properties: { a: TEXT_OR_NULL }, unevaluatedProperties: { type: 'null' } },
  ],
  [
    'an object inside an object',
    { type: 'object', properties: { a: { type: 'object', required: ['b'], properties: { b: TEXT } } } },
    { type: 'object', properties: { a: { type: ['object', 'null'], properties: { b: TEXT_OR_NULL } } } },
  ],
  [
    'an object of any names',
    { type: 'object', additionalProperties: TEXT, patternProperties: { '^x': true, '^y': false } },
    {
      type: 'object',
      additionalProperties: TEXT_OR_NULL,
      patternProperties: { '^x': true, '^y': { type: 'null' } },
    },
  ],
  [
    'an array, which is replaced as a whole',
    { type: 'array', minItems: 1, items: { type: 'object', required: ['a'] } },
    { type: 'array', minItems: 1, items: { type: 'object', required: ['a'] } },
  ],
  [
    'fixed values',
    { properties: { a: { enum: ['x'] }, b: { const: 1 }, c: { type: 'integer', enum: [1, 2] } } },
    {
      properties: {
        a: { anyOf: [{ enum: ['x'] }, { type: 'null' }] },
        b: { anyOf: [{ const: 1 }, { type: 'null' }] },
        c: { anyOf: [{ type: 'integer', enum: [1, 2] }, { type: 'null' }] },
      },
    },
  ],
  ['fixed objects, of which a patch is a part', { properties: { a: { enum: [{ b: 1 }] } } }, { properties: { a: {} } }],
  [
    'a choice, which depends on the whole',
    { description: 'x', oneOf: [TEXT, { type: 'object' }] },
    { description: 'x' },
  ],
  ['a member of any type', { properties: { a: { description: 'x' } } }, { properties: { a: { description: 'x' } } }],
  [
    'members that are named like keywords',
    { properties: { required: TEXT, $ref: TEXT, enum: TEXT } },
    {
      properties: { required: TEXT_OR_NULL, $ref: TEXT_OR_NULL, enum: TEXT_OR_NULL },
    },
  ],
];

describe('the schema of a merge patch', () => {
  it.each(PATCHES)('describes %s', (_, schema, patch) => expect(patchOf(schema)).toEqual(patch));

  it('has a part for each part that the schema refers to, which may refer to itself', () => {
    const schema = {
      $ref: '#/$defs/A~1%20b',
      $defs: { 'A/ b': { type: 'object', required: ['again'], properties: { again: { $ref: '#/$defs/A~1%20b' } } } },
    };
    expect(patchOf(schema)).toEqual({
      $ref: `${PATCH}/$defs/part1`,
      $defs: {
        part1: {
          type: 'object',
          properties: { again: { anyOf: [{ $ref: `${PATCH}/$defs/part1` }, { type: 'null' }] } },
        },
      },
    });
  });

  it('grows with the schema, not with the ways through it', () => {
    const part = (at: number) => ({
      type: 'object',
      properties: { a: { $ref: `#/$defs/p${at + 1}` }, b: { $ref: `#/$defs/p${at + 1}` } },
    });
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`p${at}`, at === 39 ? TEXT : part(at)]));
    const patch = patchOf({ $ref: '#/$defs/p0', $defs });
    expect(JSON.stringify(patch).length).toBeLessThan(40 * 300);
  });

  it('refers to the whole schema where a value is replaced', () => {
    expect(patchOf({ properties: { a: { type: 'array', items: { $ref: '#/$defs/A' } } } })).toEqual({
      properties: { a: { type: ['array', 'null'], items: { $ref: `${WHOLE}/$defs/A` } } },
    });
  });

  it('allows anything where a part is unknown', () => {
    const schema = { properties: { a: { $ref: 'https://example.com/a' }, b: { $ref: '#/$defs/none' } } };
    expect(patchOf(schema)).toEqual({
      properties: { a: {}, b: { anyOf: [{ $ref: `${PATCH}/$defs/part1` }, { type: 'null' }] } },
      $defs: { part1: {} },
    });
  });
});

describe('a schema at its place in a document', () => {
  it('has references to its own parts that begin with the place', () => {
    const id = 'https://example.com/s';
    const schema = {
      $id: id,
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { a: { $ref: '#' }, b: { $ref: `${id}#/$defs/B` }, c: { $ref: '#anchor' }, d: { $ref: 'other#/d' } },
      anyOf: [{ $ref: '#/$defs/B' }],
      default: { $ref: '#/data' },
      $defs: { B: { $id: 'https://example.com/b', $ref: '#/own' }, default: { $ref: '#/$defs/B' } },
    };
    expect(rebased(schema, WHOLE, id)).toEqual({
      properties: {
        a: { $ref: WHOLE },
        b: { $ref: `${WHOLE}/$defs/B` },
        c: { $ref: '#anchor' },
        d: { $ref: 'other#/d' },
      },
      anyOf: [{ $ref: `${WHOLE}/$defs/B` }],
      default: { $ref: '#/data' },
      $defs: { B: { $id: 'https://example.com/b', $ref: '#/own' }, default: { $ref: `${WHOLE}/$defs/B` } },
    });
  });
});
