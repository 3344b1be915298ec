import { type CustomData, defineOrders, ORDER_STATUSES_MAX, type OrderDefinition } from '@orders/domain';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { err, ok } from 'neverthrow';
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

/** A lifecycle as random numbers: where each status is entered from, further transitions, and the place of `cancel`. */
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
    .map(([{ parents, further, cancel, prefix }, custom]) => {
      const count = parents.length + 1;
      const targets = Array.from({ length: count }, () => new Set<number>());
      // The last status is terminal, so that one always is. Each status is entered from one before it.
      const open = Math.max(1, count - 1);
      for (const [at, parent] of parents.entries()) targets[parent % Math.min(at + 1, open)]?.add(at + 1);
      for (const [from, to] of further)
        if (count > 1 && from % open !== to % count) targets[from % open]?.add(to % count);
      const name = (at: number) => `${prefix}${at}`;
      const lifecycle: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
        targets.map((set, at) => [name(at), [...set].map(name)]),
      );
      const initial = name(0);
      const cancelled = name(count === 1 ? 0 : 1 + (cancel % (count - 1)));
      return custom === null
        ? defineOrders({ lifecycle, initial, cancel: cancelled })
        : defineOrders({ lifecycle, initial, cancel: cancelled, custom });
    });
}
