import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDomain, untyped } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { readDefinition } from '../../src/definition/read-definition.ts';

const RENTAL = join(import.meta.dirname, '../../../../examples/rental');
/** Custom data, and the field and code with which they are rejected. */
const Invalid = z.array(z.tuple([z.unknown(), z.string(), z.string()]));

const items = [{ sku: 'SAW', name: 'Chain saw', quantity: 1, unit_price: { amount: 2900, currency: 'EUR' } }];

it('the file of the example rental rejects what its definition in TypeScript rejects', async () => {
  const definition = (await readDefinition(join(RENTAL, 'orders.json')))._unsafeUnwrap();
  const ports = { ...inMemoryStore({ definition }), clock: fixedClock(), ids: sequentialIds() };
  const domain = untyped(createDomain(ports, definition));
  const invalid = Invalid.parse(JSON.parse(readFileSync(join(RENTAL, 'invalid.json'), 'utf8')));
  expect(invalid).toHaveLength(6);
  for (const [custom, field, code] of invalid) {
    const rejected = (await domain.placeOrder('harbour', { items, custom }))._unsafeUnwrapErr();
    // The file also compares with what is no date.
    const [first] = rejected.type === 'validation_failed' ? rejected.errors : [];
    expect(first).toMatchObject({ field, code });
  }
  const custom = { from: '2026-05-01', to: '2026-05-01' };
  const { id } = (await domain.placeOrder('harbour', { items, custom }))._unsafeUnwrap().order;
  const pickUp = await domain.changeOrder('harbour', id, { status: 'picked_up' });
  expect(pickUp._unsafeUnwrapErr()).toMatchObject({ code: 'status_required' });
});
