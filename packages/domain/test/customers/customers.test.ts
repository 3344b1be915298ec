import { describe, expect, it } from 'vitest';
import { aBody, aDomain, fails, invalidFields, NOW, OWNER, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';

const ADA = { email: 'Ada@Example.com', name: 'Ada', metadata: { tier: 'gold' } };
const TIMES = { created_at: NOW, updated_at: NOW, erased_at: null, erasure: null };
const LATER = '2026-01-02T03:04:06.678Z';
const FORMAT = 'email: invalid_format (must be an email address: one @, something on both sides, no spaces)';

async function aCreatedCustomer(domain = aDomain(), fields: object = ADA) {
  const { customer } = await succeeds(domain.createCustomer(OWNER, fields));
  return { domain, customer };
}

describe('a new customer', () => {
  it('is stored as sent, at version 1, and recorded by one event without personal data', async () => {
    const domain = aDomain();
    const { customer, event, replayed } = await succeeds(domain.createCustomer(OWNER, ADA));
    expect(customer).toEqual({ ...ADA, id: customer.id, version: 1, ...TIMES });
    expect(event).toMatchObject({ type: 'customer.created', aggregate_id: customer.id, version: 1, changed: [] });
    expect(JSON.stringify(event)).not.toMatch(/ada/i);
    expect(replayed).toBe(false);
    expect(domain.events()).toEqual([event]);
    expect(await succeeds(domain.getCustomer(OWNER, customer.id.toUpperCase()))).toEqual(customer);
  });

  it('requires only an email, of up to 254 code points', async () => {
    const { customer } = await aCreatedCustomer(aDomain(), { email: 'a@b' });
    expect(customer).toMatchObject({ email: 'a@b', name: null, metadata: {} });
    const email = `${'😀'.repeat(248)}@b.com`;
    const longest = await aCreatedCustomer(aDomain(), { email, name: '🎁'.repeat(255) });
    expect(Array.from(longest.customer.email ?? '')).toHaveLength(254);
  });

  it.each([
    [{}, 'email: required'],
    [{ email: null }, 'email: required'],
    [{ email: 7 }, 'email: wrong_type'],
    [{ email: 'ab' }, 'email: too_short (must have at least 3 characters)'],
    [{ email: `${'a'.repeat(250)}@b.co` }, 'email: too_long'],
    [{ email: 'no at sign' }, FORMAT],
    [{ email: '@example.com' }, FORMAT],
    [{ email: 'ada@' }, FORMAT],
    [{ email: 'a@b@c' }, FORMAT],
    [{ email: 'a b@c' }, FORMAT],
    [{ email: 'a\u00a0b@c' }, FORMAT],
    [{ email: 'a@b\u0007' }, FORMAT],
    [{ email: 'a@b\ud800' }, 'email: invalid_value'],
    [{ email: 'a@b', name: '' }, 'name: too_short'],
    [{ email: 'a@b', name: 'n'.repeat(256) }, 'name: too_long'],
    [{ email: 'a@b', metadata: { k: 1 } }, 'metadata["k"]: wrong_type'],
    [{ email: 'a@b', id: UNKNOWN_ID }, 'id: read_only (is read-only)'],
    [{ email: 'a@b', created_at: NOW }, 'created_at: read_only'],
    [{ email: 'a@b', updated_at: NOW }, 'updated_at: read_only'],
    [{ email: 'a@b', phone: '1' }, 'phone: unknown_field'],
    [[], ': wrong_type (must be an object)'],
  ])('is rejected for %j', async (input, field) => {
    expect(await fails(aDomain().createCustomer(OWNER, input))).toMatchObject(invalidFields(field));
  });
});

describe('a change of a customer', () => {
  it.each([
    ['email', 'grace@example.com'],
    ['email', 'ada@example.com'],
    ['name', null],
    ['name', 'Grace'],
    ['metadata', { tier: 'lead' }],
    ['metadata', null, {}],
  ])('sets %s to %j and changes no other field', async (field, value, stored: unknown = value) => {
    const { domain, customer } = await aCreatedCustomer();
    domain.clock.advance(1000);
    const changed = await succeeds(domain.changeCustomer(OWNER, customer.id, { [field]: value }));
    expect(changed.customer).toEqual({ ...customer, [field]: stored, version: 2, updated_at: LATER });
    expect(changed.event).toMatchObject({ type: 'customer.changed', version: 2, changed: [field] });
    domain.clock.advance(-60_000);
    const again = await succeeds(domain.changeCustomer(OWNER, customer.id, { metadata: { a: '1', tier: null } }));
    expect(again.customer).toMatchObject({ metadata: { a: '1' }, updated_at: LATER });
  });

  it.each([[{}], [ADA], [{ email: undefined }], [{ metadata: {} }]])(
    'keeps the version and records no event for %j',
    async (patch) => {
      const { domain, customer } = await aCreatedCustomer();
      const unchanged = { customer, event: null, replayed: false };
      expect(await succeeds(domain.changeCustomer(OWNER, customer.id, patch))).toEqual(unchanged);
      expect(domain.events()).toHaveLength(1);
    },
  );

  it.each([
    [{ email: null }, 'email: required'],
    [{ email: 'x' }, 'email: too_short'],
    [{ name: 5 }, 'name: wrong_type'],
    [{ metadata: 'a' }, 'metadata: wrong_type'],
    [{ version: 2 }, 'version: read_only'],
    [{ nickname: 'A' }, 'nickname: unknown_field'],
    ['email', ': wrong_type'],
  ])('is rejected for %j', async (patch, field) => {
    const { domain, customer } = await aCreatedCustomer();
    expect(await fails(domain.changeCustomer(OWNER, customer.id, patch))).toMatchObject(invalidFields(field));
  });

  it('accepts up to fifty metadata keys', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`k${index}`, 'v']));
    const { domain, customer } = await aCreatedCustomer(aDomain(), { ...ADA, metadata });
    await succeeds(domain.changeCustomer(OWNER, customer.id, { metadata: { last: 'v' } }));
    const error = await fails(domain.changeCustomer(OWNER, customer.id, { metadata: { more: 'v' } }));
    expect(error).toMatchObject(invalidFields('metadata: too_long (must have at most 50 keys)'));
  });
});

describe('a customer', () => {
  it('has an email that differs from one that is equal only in upper case', async () => {
    const { domain } = await aCreatedCustomer(aDomain(), { email: 'stra\u00dfe@example.com' });
    const { customer } = await aCreatedCustomer(domain, { email: 'strasse@example.com' });
    expect(customer.email).toBe('strasse@example.com');
  });

  it('is deleted only at the expected version, and erased from recorded results', async () => {
    const domain = aDomain();
    const key = { idempotencyKey: 'create' };
    const { id } = (await succeeds(domain.createCustomer(OWNER, ADA, key))).customer;
    const mismatch = { type: 'precondition_failed', current_version: 1 };
    expect(await fails(domain.changeCustomer(OWNER, id, {}, { ifVersion: [2] }))).toEqual(mismatch);
    expect(await fails(domain.deleteCustomer(OWNER, id, { unlessVersion: 'any' }))).toEqual(mismatch);
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody({ customer_id: id })));
    expect(await fails(domain.deleteCustomer(OWNER, id))).toEqual({ type: 'customer_has_orders' });
    await succeeds(domain.deleteOrder(OWNER, order.id));
    const { event } = await succeeds(domain.deleteCustomer(OWNER, id, { ifVersion: [1] }));
    expect(event).toMatchObject({ type: 'customer.deleted', aggregate_id: id, version: 2, changed: [] });
    expect(await fails(domain.createCustomer(OWNER, ADA, key))).toEqual({ type: 'customer_not_found', id });
  });
});
