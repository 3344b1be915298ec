import { describe, expect, it } from 'vitest';
import {
  aBody,
  aDomain,
  fails,
  invalidFields,
  NOW,
  OTHER_OWNER,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const ADA = { email: 'Ada@Example.com', name: 'Ada', metadata: { tier: 'gold' } };
const LATER = '2026-01-02T03:04:06.678Z';

async function aCreatedCustomer(domain = aDomain(), fields: object = ADA) {
  const { customer } = await succeeds(domain.createCustomer(OWNER, fields));
  return { domain, customer };
}

describe('a new customer', () => {
  it('is stored as sent, at version 1, and recorded by one event without personal data', async () => {
    const domain = aDomain();
    const { customer, event, replayed } = await succeeds(domain.createCustomer(OWNER, ADA));
    expect(customer).toEqual({ ...ADA, id: customer.id, version: 1, created_at: NOW, updated_at: NOW });
    expect(event).toMatchObject({ type: 'customer.created', aggregate_id: customer.id, version: 1, changed: [] });
    expect(JSON.stringify(event)).not.toMatch(/ada/i);
    expect(replayed).toBe(false);
    expect(domain.events()).toEqual([event]);
    expect(await succeeds(domain.getCustomer(OWNER, customer.id.toUpperCase()))).toEqual(customer);
  });

  it('requires only an email', async () => {
    const { customer } = await aCreatedCustomer(aDomain(), { email: 'a@b' });
    expect(customer).toMatchObject({ email: 'a@b', name: null, metadata: {} });
  });

  it.each([
    [{}, 'email: required'],
    [{ email: null }, 'email: required'],
    [{ email: 7 }, 'email: wrong_type'],
    [{ email: 'ab' }, 'email: too_short'],
    [{ email: `${'a'.repeat(250)}@b.co` }, 'email: too_long'],
    [{ email: 'no at sign' }, 'email: invalid_format'],
    [{ email: '@example.com' }, 'email: invalid_format'],
    [{ email: 'ada@' }, 'email: invalid_format'],
    [{ email: 'a@b@c' }, 'email: invalid_format'],
    [{ email: 'a b@c' }, 'email: invalid_format'],
    [{ email: 'a\u00a0b@c' }, 'email: invalid_format'],
    [{ email: 'a@b\u0007' }, 'email: invalid_format'],
    [{ email: 'a@b\ud800' }, 'email: invalid_value'],
    [{ email: 'a@b', name: '' }, 'name: too_short'],
    [{ email: 'a@b', name: 'n'.repeat(256) }, 'name: too_long'],
    [{ email: 'a@b', metadata: { k: 1 } }, 'metadata["k"]: wrong_type'],
    [{ email: 'a@b', id: UNKNOWN_ID }, 'id: read_only'],
    [{ email: 'a@b', phone: '1' }, 'phone: unknown_field'],
    [[], ': wrong_type'],
  ])('is rejected for %j', async (input, field) => {
    expect(await fails(aDomain().createCustomer(OWNER, input))).toMatchObject(invalidFields(field));
  });

  it('may have an email of 254 code points and a name of 255', async () => {
    const email = `${'😀'.repeat(248)}@b.com`;
    const { customer } = await aCreatedCustomer(aDomain(), { email, name: '🎁'.repeat(255) });
    expect(Array.from(customer.email)).toHaveLength(254);
  });

  it('is rejected for an email that another customer of the owner has in any case', async () => {
    const { domain, customer } = await aCreatedCustomer();
    const taken = { type: 'email_taken', customer_id: customer.id };
    expect(await fails(domain.createCustomer(OWNER, { email: 'ADA@example.COM' }))).toEqual(taken);
    await succeeds(domain.createCustomer(OTHER_OWNER, ADA));
  });

  it('is created once for retries with a key, even if the members are reordered', async () => {
    const { domain, customer } = await aCreatedCustomer(aDomain(), { email: 'once@example.com' });
    const key = { idempotencyKey: 'k' };
    const first = await succeeds(domain.createCustomer(OWNER, ADA, key));
    const { metadata, name, email } = ADA;
    const second = await succeeds(domain.createCustomer(OWNER, { metadata, name, email }, key));
    expect(second).toEqual({ customer: first.customer, event: null, replayed: true });
    const reused = { type: 'idempotency_key_reused' };
    expect(await fails(domain.createCustomer(OWNER, { email: 'x@example.com' }, key))).toEqual(reused);
    expect(await fails(domain.placeOrder(OWNER, aBody(), key))).toEqual(reused);
    expect(await fails(domain.deleteCustomer(OWNER, customer.id, key))).toEqual(reused);
  });
});

describe('a customer write with an idempotency key', () => {
  const key = { idempotencyKey: 'k' };
  const reused = { type: 'idempotency_key_reused' };

  it('happens once, and is rejected with other values or for another customer', async () => {
    const { domain, customer } = await aCreatedCustomer();
    const other = await aCreatedCustomer(domain, { email: 'other@example.com' });
    const rename = (id: string, name: string) => domain.changeCustomer(OWNER, id, { name }, key);
    const first = await succeeds(rename(customer.id, 'Grace'));
    await succeeds(domain.changeCustomer(OWNER, customer.id, { name: 'Edith' }));
    expect(await succeeds(rename(customer.id, 'Grace'))).toEqual({ ...first, event: null, replayed: true });
    expect(await fails(rename(customer.id, 'Mary'))).toEqual(reused);
    expect(await fails(rename(other.customer.id, 'Grace'))).toEqual(reused);
  });

  it('deletes one customer, and rejects another customer', async () => {
    const { domain, customer } = await aCreatedCustomer();
    const other = await aCreatedCustomer(domain, { email: 'other@example.com' });
    const { event } = await succeeds(domain.deleteCustomer(OWNER, customer.id, key));
    expect(event?.changed).toEqual([]);
    expect(await succeeds(domain.deleteCustomer(OWNER, customer.id, key))).toEqual({ event: null, replayed: true });
    expect(await fails(domain.deleteCustomer(OWNER, other.customer.id, key))).toEqual(reused);
  });
});

describe('the email of a customer', () => {
  it('differs from an email that is equal only in upper case', async () => {
    const { domain } = await aCreatedCustomer(aDomain(), { email: 'stra\u00dfe@example.com' });
    const { customer } = await aCreatedCustomer(domain, { email: 'strasse@example.com' });
    expect(customer.email).toBe('strasse@example.com');
  });
});

describe('a change of a customer', () => {
  it.each([
    ['email', 'grace@example.com'],
    ['name', null],
    ['name', 'Grace'],
    ['metadata', { tier: 'lead' }],
  ])('sets %s to %j and changes no other field', async (field, value) => {
    const { domain, customer } = await aCreatedCustomer();
    domain.clock.advance(1000);
    const changed = await succeeds(domain.changeCustomer(OWNER, customer.id, { [field]: value }));
    expect(changed.customer).toEqual({ ...customer, [field]: value, version: 2, updated_at: LATER });
    expect(changed.event).toMatchObject({ type: 'customer.changed', version: 2, changed: [field] });
  });

  it('removes all metadata by null, and a key by null', async () => {
    const { domain, customer } = await aCreatedCustomer(aDomain(), { ...ADA, metadata: { a: '1', b: '2' } });
    const change = (metadata: unknown) => succeeds(domain.changeCustomer(OWNER, customer.id, { metadata }));
    expect((await change({ a: null, c: '3' })).customer.metadata).toEqual({ b: '2', c: '3' });
    expect((await change(null)).customer.metadata).toEqual({});
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

  it('counts a different case of the email as a change', async () => {
    const { domain, customer } = await aCreatedCustomer();
    const changed = await succeeds(domain.changeCustomer(OWNER, customer.id, { email: 'ada@example.com' }));
    expect(changed.customer).toMatchObject({ email: 'ada@example.com', version: 2 });
  });

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
    expect(error).toMatchObject(invalidFields('metadata: too_long'));
  });

  it('never lets updated_at run backwards', async () => {
    const { domain, customer } = await aCreatedCustomer();
    domain.clock.advance(-60_000);
    const changed = await succeeds(domain.changeCustomer(OWNER, customer.id, { name: 'B' }));
    expect(changed.customer.updated_at).toBe(NOW);
  });
});

describe('a customer', () => {
  it('is changed or deleted only at the expected version', async () => {
    const { domain, customer } = await aCreatedCustomer();
    const mismatch = { type: 'version_mismatch', current_version: 1 };
    expect(await fails(domain.changeCustomer(OWNER, customer.id, {}, { ifVersion: [2] }))).toEqual(mismatch);
    expect(await fails(domain.deleteCustomer(OWNER, customer.id, { unlessVersion: 'any' }))).toEqual(mismatch);
    const { event } = await succeeds(domain.deleteCustomer(OWNER, customer.id, { ifVersion: [1] }));
    expect(event).toMatchObject({ type: 'customer.deleted', aggregate_id: customer.id, version: 2 });
  });

  it('is not found for an unknown or malformed id, or for another owner', async () => {
    const { domain, customer } = await aCreatedCustomer();
    for (const [owner, id] of [
      [OWNER, UNKNOWN_ID],
      [OWNER, 'c-7'],
      [OTHER_OWNER, customer.id],
    ] as const) {
      const notFound = { type: 'customer_not_found', id };
      expect(await fails(domain.getCustomer(owner, id))).toEqual(notFound);
      expect(await fails(domain.changeCustomer(owner, id, { name: 'x' }))).toEqual(notFound);
      expect(await fails(domain.deleteCustomer(owner, id))).toEqual(notFound);
    }
  });

  it('cannot be deleted while an order refers to it, and is erased from recorded results afterwards', async () => {
    const domain = aDomain();
    const key = { idempotencyKey: 'create' };
    const { customer } = await succeeds(domain.createCustomer(OWNER, ADA, key));
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody({ customer_id: customer.id })));
    expect(await fails(domain.deleteCustomer(OWNER, customer.id))).toEqual({ type: 'customer_has_orders' });
    await succeeds(domain.deleteOrder(OWNER, order.id));
    await succeeds(domain.deleteCustomer(OWNER, customer.id));
    const notFound = { type: 'customer_not_found', id: customer.id };
    expect(await fails(domain.createCustomer(OWNER, ADA, key))).toEqual(notFound);
  });
});

describe('a list of customers', () => {
  it('returns pages of the customers of the owner alone, the newest first', async () => {
    const domain = aDomain();
    for (const name of ['a', 'b', 'c']) {
      domain.clock.advance(1000);
      await aCreatedCustomer(domain, { email: `${name}@example.com`, name });
    }
    await succeeds(domain.createCustomer(OTHER_OWNER, ADA));
    const first = await succeeds(domain.listCustomers(OWNER, { limit: 2 }));
    expect(first.data.map(({ name }) => name)).toEqual(['c', 'b']);
    const rest = await succeeds(domain.listCustomers(OWNER, { after: first.next ?? undefined, limit: 1 }));
    expect(rest.data.map(({ name }) => name)).toEqual(['a']);
  });

  it('is rejected with all invalid members of the query', async () => {
    const input = { sort: 'email', limit: 101, offset: 10_001, after: { value: 'x', id: 'y' } };
    expect(await fails(aDomain().listCustomers(OWNER, input))).toMatchObject(
      invalidFields(
        'sort: invalid_value',
        'limit: out_of_range',
        'offset: out_of_range',
        'after: invalid_value',
        'offset: invalid_value',
      ),
    );
  });
});
