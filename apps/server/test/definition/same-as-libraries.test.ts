import { customFrom } from '@orders/domain/custom';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parserOf } from './definition-files.ts';

const Rental = z.strictObject({
  from: z.iso.date(),
  days: z.int().min(1).max(30),
  size: z.enum(['small', 'large']).optional(),
  names: z.array(z.string().min(2).max(4)).min(1).max(2).optional(),
  code: z
    .string()
    .regex(/^[A-Z]+$/)
    .optional(),
  share: z.number().multipleOf(0.5).lt(9).optional(),
  deposit: z.union([z.string(), z.number()]).nullable().optional(),
  pick_up: z.strictObject({ shop: z.string(), 'e-mail': z.email() }).optional(),
});

const VALID = { from: '2026-01-02', days: 2 };

describe('a schema of a library', () => {
  it.each([
    VALID,
    {},
    [],
    'x',
    { ...VALID, vip: true, 'a.b': 1 },
    { ...VALID, from: 7, days: 'two' },
    { ...VALID, from: 'soon', days: 31 },
    { ...VALID, days: 1.5 },
    { ...VALID, days: -1 },
    { ...VALID, size: 'huge' },
    { ...VALID, size: 7 },
    { ...VALID, names: [] },
    { ...VALID, names: ['x', 'Babbage'] },
    { ...VALID, names: [7] },
    { ...VALID, names: 'Ada' },
    { ...VALID, code: 'a' },
    { ...VALID, share: 0.3 },
    { ...VALID, share: 9 },
    { ...VALID, deposit: true },
    { ...VALID, deposit: null },
    { ...VALID, pick_up: { shop: 7, 'e-mail': 'none', vip: 1 } },
    { ...VALID, pick_up: null },
  ])('rejects the same fields with the same codes as its JSON schema in a file: %j', async (input) => {
    const library = customFrom(Rental);
    const file = await parserOf(library.schema);
    const fieldsOf = (parse: typeof file) =>
      parse(input).match(
        () => [],
        (fields) => fields.map(({ field, code }) => `${field} ${code}`).toSorted(),
      );
    expect(fieldsOf(library.parse)).toEqual(fieldsOf(file));
  });
});
