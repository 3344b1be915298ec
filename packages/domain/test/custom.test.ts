import { createDomain, type CustomInputOf, type CustomOf, defineOrders } from '@orders/domain';
import { customFrom, type StandardSchema } from '@orders/domain/custom';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

/** The same custom data in the languages of three libraries. */
const SCHEMAS: readonly (readonly [library: string, schema: StandardSchema])[] = [
  [
    'zod',
    z.strictObject({
      from: z.iso.date(),
      days: z.int().min(1).max(30),
      size: z.enum(['small', 'large']).optional(),
      names: z.array(z.string().min(2).max(4)).max(2).optional(),
      code: z
        .string()
        .regex(/^[A-Z]+$/)
        .optional(),
    }),
  ],
  [
    'valibot',
    v.strictObject({
      from: v.pipe(v.string(), v.isoDate()),
      days: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(30)),
      size: v.optional(v.picklist(['small', 'large'])),
      names: v.optional(v.pipe(v.array(v.pipe(v.string(), v.minLength(2), v.maxLength(4))), v.maxLength(2))),
      code: v.optional(v.pipe(v.string(), v.regex(/^[A-Z]+$/))),
    }),
  ],
  [
    'arktype',
    type({
      from: 'string.date.iso',
      days: '1 <= number.integer <= 30',
      'size?': "'small' | 'large'",
      'names?': '(2 <= string <= 4)[] <= 2',
      'code?': '/^[A-Z]+$/',
      '+': 'reject',
    }),
  ],
];

const VALID = { from: '2026-01-02', days: 2 };

/** Inputs that are invalid, and the field and code of each. */
const INVALID: readonly (readonly [input: object, field: string, code: string])[] = [
  [{ days: 2 }, 'from', 'required'],
  [{ ...VALID, from: 7 }, 'from', 'wrong_type'],
  [{ ...VALID, from: 'soon' }, 'from', 'invalid_format'],
  [{ ...VALID, days: 'two' }, 'days', 'wrong_type'],
  [{ ...VALID, days: 0 }, 'days', 'out_of_range'],
  [{ ...VALID, days: 31 }, 'days', 'out_of_range'],
  [{ ...VALID, size: 'huge' }, 'size', 'invalid_value'],
  [{ ...VALID, vip: true }, 'vip', 'unknown_field'],
  [{ ...VALID, names: 'Ada' }, 'names', 'wrong_type'],
  [{ ...VALID, names: ['Ada', 'x'] }, 'names[1]', 'too_short'],
  [{ ...VALID, names: ['Ada', 'Babbage'] }, 'names[1]', 'too_long'],
  [{ ...VALID, names: ['Ada', 'Bob', 'Cleo'] }, 'names', 'too_long'],
  [{ ...VALID, code: 'a' }, 'code', 'invalid_format'],
];

describe.each(SCHEMAS)('custom data of a schema of %s', (_, schema) => {
  const { parse } = customFrom(schema);

  it('are what the schema returns', () => {
    expect(parse(VALID)._unsafeUnwrap()).toEqual(VALID);
  });

  it.each(INVALID)('are rejected with paths and codes of the API: %j', (input, field, code) => {
    expect(parse(input)._unsafeUnwrapErr()).toMatchObject([{ field, code }]);
  });

  it('are rejected with the first 1,000 characters of a path', () => {
    const name = 'x'.repeat(1001);
    expect(parse({ ...VALID, [name]: 1 })._unsafeUnwrapErr()).toMatchObject([{ field: `${name.slice(1)}…` }]);
  });

  it('are rejected as a whole where they have another type', () => {
    expect(parse('x')._unsafeUnwrapErr()).toMatchObject([{ field: '', code: 'wrong_type' }]);
  });
});

it.each([
  [7, 'wrong_type'],
  [{ count: 'two' }, 'invalid_value'],
])('custom data that are no alternative of a schema have a code by whether one has their type: %j', (any, code) => {
  const { parse } = customFrom(z.object({ any: z.union([z.string(), z.object({ count: z.number() })]) }));
  expect(parse({ any })._unsafeUnwrapErr()).toMatchObject([{ field: 'any', code }]);
});

describe('custom data of a schema', () => {
  const Period = z.object({ from: z.iso.date(), days: z.int().default(1) });

  it('have the JSON schema of the library, or the one that is given, or none', () => {
    expect(customFrom(Period).schema).toMatchObject({ type: 'object', required: ['from'] });
    expect(customFrom(Period, { schema: { type: 'object' } }).schema).toEqual({ type: 'object' });
    expect(customFrom(v.string()).schema).toEqual({});
  });

  it('are placed without defaults, which orders have', async () => {
    const custom = customFrom(Period, { required: true });
    const orders = defineOrders({ lifecycle: { open: [] }, initial: 'open', cancel: 'open', custom });
    type Orders = typeof orders;
    expectTypeOf<CustomInputOf<Orders>>().toEqualTypeOf<{ from: string; days?: number | undefined }>();
    expectTypeOf<CustomOf<Orders>>().toEqualTypeOf<{ from: string; days: number }>();
    const ports = { ...inMemoryStore({ definition: orders }), clock: fixedClock(), ids: sequentialIds() };
    const domain = createDomain(ports, orders);
    const items = [{ sku: 'SAW', name: 'Saw', quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }];
    const { order } = (await domain.placeOrder('o', { items, custom: { from: '2026-01-02' } }))._unsafeUnwrap();
    expect(order.custom).toEqual({ from: '2026-01-02', days: 1 });
    // @ts-expect-error -- required
    expect((await domain.placeOrder('o', { items })).isErr()).toBe(true);
    // @ts-expect-error -- cannot be removed
    expect((await domain.changeOrder('o', order.id, { custom: null })).isErr()).toBe(true);
  });

  it('of an asynchronous schema cannot be defined', () => {
    const custom = customFrom(z.any().refine(() => Promise.resolve(true)));
    const define = () => defineOrders({ lifecycle: { open: [] }, initial: 'open', cancel: 'open', custom });
    expect(define).toThrow('the schema of custom data is asynchronous');
  });
});
