import { type CustomData, ORDER_STATUSES_MAX, type OrderDefinition } from '@orders/domain';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { err, ok } from 'neverthrow';
import { definitionOf } from '../../../domain/test/fixtures/a-definition.ts';
import { TEXT } from '../../src/api/schemas.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const texts: fc.Arbitrary<JsonSchema> = fc.nat(8).map((maxLength) => ({ type: 'string', ...TEXT, maxLength }));
const integers: fc.Arbitrary<JsonSchema> = fc
  .tuple(fc.integer({ min: -9, max: 0 }), fc.integer({ min: 1, max: 9 }))
  .map(([minimum, maximum]) => ({ type: 'integer', minimum, maximum }));
const choices = fc.constant<JsonSchema>({ type: 'string', enum: ['rye', 'wheat', ''] });

/** Names of members, some of which are keywords, and titles that components of the document have. */
const NAMES = ['at', 'title', 'type', 'items', 'enum', 'required'];
const TITLES = ['Order', 'Problem', 'of its own'];

const schemas = fc.letrec<{ any: JsonSchema; list: JsonSchema; record: JsonSchema }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', maxDepth: 3, withCrossShrink: true },
    texts,
    integers,
    choices,
    tie('list'),
    tie('record'),
  ),
  list: fc
    .tuple(tie('any'), fc.integer({ min: 1, max: 3 }))
    .map(([items, maxItems]) => ({ type: 'array', items, maxItems })),
  record: fc
    .record({
      title: fc.constantFrom(...TITLES),
      members: fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 3 }),
      required: fc.subarray(NAMES),
    })
    .map(({ title, members: properties, required }) => ({
      title,
      type: 'object',
      properties: { ...properties },
      required: required.filter((name) => Object.hasOwn(properties, name)),
      additionalProperties: false,
    })),
}));

/** Returns custom data whose parser accepts exactly what its schema describes. */
function customData(schema: JsonSchema): CustomData<unknown> {
  const validate = new Ajv2020({ strict: false }).compile({ ...schema });
  const rejected = err([{ field: '', code: 'invalid_value', message: 'does not match its schema' } as const]);
  return { parse: (input) => (validate(input) ? ok(input) : rejected), schema };
}

const shapes = (most: number) =>
  fc.record({
    parents: fc.array(fc.nat(), {
      minLength: most === ORDER_STATUSES_MAX ? most - 1 : 0,
      maxLength: most - 1,
      size: 'max',
    }),
    further: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 60, size: 'max' }),
    cancel: fc.nat(),
    prefix: fc.constantFrom('s', 'in_transit_', 'a'),
  });

/**
 * Generates definitions with at most `most` statuses, or with the maximum number: with cycles and several terminal statuses,
 * some with custom data.
 */
export function definitions(most: number): fc.Arbitrary<OrderDefinition> {
  return fc
    .tuple(shapes(most), fc.option(schemas.record.map(customData)))
    .map(([{ prefix, ...shape }, custom]) => definitionOf(shape, custom, prefix));
}
