import { describe, expect, it } from 'vitest';
import { aDomain, aLine, fails, invalidFields, NOW, OWNER, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';

const ADA = {
  id: '10000000-0000-4000-8000-000000000000',
  email: 'Ada@example.com',
  name: 'Ada',
  metadata: { shop: 'old' },
  version: 3,
  created_at: '2025-01-01T00:00:00.000Z',
  updated_at: '2025-02-01T00:00:00.000Z',
};

const GONE = { email: null, name: null, metadata: {} };

/** Members of an import, and its invalid fields. */
const INVALID: readonly (readonly [object, ...string[]])[] = [
  [{ email: null }, 'email: required'],
  [{ id: '7', vip: true }, 'vip: unknown_field', 'id: invalid_format'],
  [{ version: 1.5 }, 'version: wrong_type'],
  [{ updated_at: '2026-01-02T03:04:05.679Z' }, 'updated_at: out_of_range'],
  [{ created_at: '2025-02-01T00:00:00.001Z' }, 'updated_at: out_of_range'],
  [
    { id: null, erased_at: '2025-02-01T00:00:00.001Z' },
    'updated_at: out_of_range',
    'id: required',
    'email: invalid_value (must be null, as the customer is erased)',
    'name: invalid_value',
    'metadata: invalid_value',
  ],
  [{ ...GONE, erased_at: '2024-12-31T23:59:59.999Z' }, 'erased_at: out_of_range'],
];

describe('an imported customer', () => {
  it('has the given id, times and version, and an event of now', async () => {
    const domain = aDomain();
    const { customer, event, replayed } = await succeeds(domain.importCustomer(OWNER, ADA));
    const stored = { ...ADA, erased_at: null, erasure: null };
    expect([customer, replayed]).toEqual([stored, false]);
    expect(event).toMatchObject({ type: 'customer.imported', occurred_at: NOW, version: 3 });
    expect(domain.events()).toEqual([event]);
    expect(await succeeds(domain.getCustomer(OWNER, ADA.id))).toEqual(stored);
  });

  it('has a new id and the current time if it has none', async () => {
    const { customer } = await succeeds(aDomain().importCustomer(OWNER, { email: ADA.email }));
    expect(customer).toMatchObject({ name: null, metadata: {}, version: 1, created_at: NOW, updated_at: NOW });
  });

  it('may be erased, and then gets only what is without personal data', async () => {
    const domain = aDomain();
    const erased = { ...ADA, ...GONE, erased_at: '2025-01-02T00:00:00.000Z' };
    const stored = { ...erased, erasure: { status: 'done' } };
    const imports = [erased, stored, { ...stored, erasure: { status: 'pending' } }];
    for (const [index, input] of imports.entries())
      expect(await succeeds(domain.importCustomer(OWNER, input))).toMatchObject({
        customer: stored,
        replayed: index > 0,
      });
    expect(await succeeds(domain.eraseCustomer(OWNER, ADA.id))).toMatchObject({ customer: stored, event: null });
    const input = { reference: 'PO-1', customer_id: ADA.id, items: [aLine()] };
    expect(await fails(domain.placeOrder(OWNER, input))).toEqual({ type: 'customer_erased' });
    expect(await fails(domain.importOrder(OWNER, { ...input, note: 'Ada' }))).toEqual({ type: 'customer_erased' });
    for (const replayed of [false, true])
      expect(await succeeds(domain.importOrder(OWNER, input))).toMatchObject({ replayed });
  });

  it('is not stored in a dry run', async () => {
    const domain = aDomain();
    expect(await succeeds(domain.importCustomer(OWNER, ADA, { dryRun: true }))).toMatchObject({ event: null });
    expect(await fails(domain.getCustomer(OWNER, ADA.id))).toMatchObject({ type: 'customer_not_found' });
  });

  it.each(INVALID.map((row) => [row]))('is rejected with %j', async ([fields, ...errors]) => {
    expect(await fails(aDomain().importCustomer(OWNER, { ...ADA, ...fields }))).toMatchObject(invalidFields(...errors));
  });
});

describe('a second import of a customer', () => {
  it.each([ADA, { email: ADA.email, name: 'Ada' }])('returns it if it is the same: %j', async (input) => {
    const domain = aDomain();
    const { customer } = await succeeds(domain.importCustomer(OWNER, input));
    domain.clock.advance(1000);
    const second = await succeeds(domain.importCustomer(OWNER, input));
    expect(second).toEqual({ customer, event: null, replayed: true });
    expect(domain.events()).toHaveLength(1);
  });

  it('is rejected with other content, after the deletion, and with the email of another one', async () => {
    const domain = aDomain();
    await succeeds(domain.importCustomer(OWNER, ADA));
    const taken = { type: 'id_taken', id: ADA.id };
    expect(await fails(domain.importCustomer(OWNER, { ...ADA, name: null }))).toEqual(taken);
    expect(await fails(domain.importCustomer(OWNER, { ...ADA, email: 'b@example.com' }))).toEqual(taken);
    const emailTaken = { type: 'email_taken', customer_id: ADA.id };
    expect(await fails(domain.importCustomer(OWNER, { ...ADA, id: UNKNOWN_ID }))).toEqual(emailTaken);
    await succeeds(domain.deleteCustomer(OWNER, ADA.id));
    expect(await fails(domain.importCustomer(OWNER, ADA))).toEqual(taken);
  });
});
