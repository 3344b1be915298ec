import { describe, expect, it } from 'vitest';
import { aBody, aDomain, badFields, NOBODY, NOW, OWNER, refuses, STRANGER, succeeds } from './a-domain.ts';

const ADA = { email: 'Ada@Example.com', name: 'Ada', metadata: { tier: 'gold' } };
const LATER = '2026-01-02T03:04:06.678Z';

async function aCreatedCustomer(domain = aDomain(), fields: object = ADA) {
  const { customer } = await succeeds(domain.createCustomer(OWNER, fields));
  return { domain, customer };
}

describe('a new customer', () => {
  it('is kept as sent, at version 1, and told of by one event without personal data', async () => {
    const domain = aDomain();
    const { customer, event, replayed } = await succeeds(domain.createCustomer(OWNER, ADA));
    expect(customer).toEqual({ ...ADA, id: customer.id, version: 1, created_at: NOW, updated_at: NOW });
    expect(event).toMatchObject({ type: 'customer.created', aggregate_id: customer.id, version: 1, changed: [] });
    expect(JSON.stringify(event)).not.toMatch(/ada/i);
    expect(replayed).toBe(false);
    expect(domain.events()).toEqual([event]);
    expect(await succeeds(domain.getCustomer(OWNER, customer.id.toUpperCase()))).toEqual(customer);
  });

  it('needs an email alone', async () => {
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
    [{ email: 'a@b', id: NOBODY }, 'id: read_only'],
    [{ email: 'a@b', phone: '1' }, 'phone: unknown_field'],
    [[], ': wrong_type'],
  ])('is refused as %j', async (input, field) => {
    expect(await refuses(aDomain().createCustomer(OWNER, input))).toMatchObject(badFields(field));
  });

  it('may have an email of 254 characters and a name of 255, counted as people do', async () => {
    const email = `${'😀'.repeat(248)}@b.com`;
    const { customer } = await aCreatedCustomer(aDomain(), { email, name: '🎁'.repeat(255) });
    expect(Array.from(customer.email)).toHaveLength(254);
  });

  it('is refused an email that another has in whatever case, but not one that is a stranger\u2019s', async () => {
    const { domain, customer } = await aCreatedCustomer();
    const taken = { type: 'email_taken', customer_id: customer.id };
    expect(await refuses(domain.createCustomer(OWNER, { email: 'ADA@example.COM' }))).toEqual(taken);
    await succeeds(domain.createCustomer(STRANGER, ADA));
  });

  it('is created once under a key, whatever the order of its members', async () => {
    const { domain, customer } = await aCreatedCustomer(aDomain(), { email: 'once@example.com' });
    const key = { idempotencyKey: 'k' };
    const first = await succeeds(domain.createCustomer(OWNER, ADA, key));
    const { metadata, name, email } = ADA;
    const second = await succeeds(domain.createCustomer(OWNER, { metadata, name, email }, key));
    expect(second).toEqual({ customer: first.customer, event: null, replayed: true });
    const reused = { type: 'idempotency_key_reused' };
    expect(await refuses(domain.createCustomer(OWNER, { email: 'x@example.com' }, key))).toEqual(reused);
    expect(await refuses(domain.placeOrder(OWNER, aBody(), key))).toEqual(reused);
    expect(await refuses(domain.deleteCustomer(OWNER, customer.id, key))).toEqual(reused);
  });
});

describe('a write of a customer under a key', () => {
  const key = { idempotencyKey: 'k' };
  const reused = { type: 'idempotency_key_reused' };

  it('is done once, and refused with other values or for another customer', async () => {
    const { domain, customer } = await aCreatedCustomer();
    const other = await aCreatedCustomer(domain, { email: 'other@example.com' });
    const rename = (id: string, name: string) => domain.changeCustomer(OWNER, id, { name }, key);
    const first = await succeeds(rename(customer.id, 'Grace'));
    await succeeds(domain.changeCustomer(OWNER, customer.id, { name: 'Edith' }));
    expect(await succeeds(rename(customer.id, 'Grace'))).toEqual({ ...first, event: null, replayed: true });
    expect(await refuses(rename(customer.id, 'Mary'))).toEqual(reused);
    expect(await refuses(rename(other.customer.id, 'Grace'))).toEqual(reused);
  });

  it('deletes one customer, and not another', async () => {
    const { domain, customer } = await aCreatedCustomer();
    const other = await aCreatedCustomer(domain, { email: 'other@example.com' });
    const { event } = await succeeds(domain.deleteCustomer(OWNER, customer.id, key));
    expect(event?.changed).toEqual([]);
    expect(await succeeds(domain.deleteCustomer(OWNER, customer.id, key))).toEqual({ event: null, replayed: true });
    expect(await refuses(domain.deleteCustomer(OWNER, other.customer.id, key))).toEqual(reused);
  });
});

describe('the email of a customer', () => {
  it('is another one where only upper case makes two the same', async () => {
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
  ])('of the %s to %j leaves everything else as it was', async (field, value) => {
    const { domain, customer } = await aCreatedCustomer();
    domain.clock.advance(1000);
    const changed = await succeeds(domain.changeCustomer(OWNER, customer.id, { [field]: value }));
    expect(changed.customer).toEqual({ ...customer, [field]: value, version: 2, updated_at: LATER });
    expect(changed.event).toMatchObject({ type: 'customer.changed', version: 2, changed: [field] });
  });

  it('empties metadata by null and removes a key by null', async () => {
    const { domain, customer } = await aCreatedCustomer(aDomain(), { ...ADA, metadata: { a: '1', b: '2' } });
    const change = (metadata: unknown) => succeeds(domain.changeCustomer(OWNER, customer.id, { metadata }));
    expect((await change({ a: null, c: '3' })).customer.metadata).toEqual({ b: '2', c: '3' });
    expect((await change(null)).customer.metadata).toEqual({});
  });

  it.each([[{}], [ADA], [{ email: undefined }], [{ metadata: {} }]])('by %j changes nothing', async (patch) => {
    const { domain, customer } = await aCreatedCustomer();
    const unchanged = { customer, event: null, replayed: false };
    expect(await succeeds(domain.changeCustomer(OWNER, customer.id, patch))).toEqual(unchanged);
    expect(domain.events()).toHaveLength(1);
  });

  it('to the same email in another case is a change', async () => {
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
  ])('is refused as %j', async (patch, field) => {
    const { domain, customer } = await aCreatedCustomer();
    expect(await refuses(domain.changeCustomer(OWNER, customer.id, patch))).toMatchObject(badFields(field));
  });

  it('may lead to fifty keys of metadata and no more', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`k${index}`, 'v']));
    const { domain, customer } = await aCreatedCustomer(aDomain(), { ...ADA, metadata });
    await succeeds(domain.changeCustomer(OWNER, customer.id, { metadata: { last: 'v' } }));
    const refusal = await refuses(domain.changeCustomer(OWNER, customer.id, { metadata: { more: 'v' } }));
    expect(refusal).toMatchObject(badFields('metadata: too_long'));
  });

  it('never lets updated_at run backwards', async () => {
    const { domain, customer } = await aCreatedCustomer();
    domain.clock.advance(-60_000);
    const changed = await succeeds(domain.changeCustomer(OWNER, customer.id, { name: 'B' }));
    expect(changed.customer.updated_at).toBe(NOW);
  });
});

describe('a customer', () => {
  it('is changed or deleted only at the version that was named', async () => {
    const { domain, customer } = await aCreatedCustomer();
    const mismatch = { type: 'version_mismatch', current_version: 1 };
    expect(await refuses(domain.changeCustomer(OWNER, customer.id, {}, { ifVersion: [2] }))).toEqual(mismatch);
    expect(await refuses(domain.deleteCustomer(OWNER, customer.id, { unlessVersion: 'any' }))).toEqual(mismatch);
    const { event } = await succeeds(domain.deleteCustomer(OWNER, customer.id, { ifVersion: [1] }));
    expect(event).toMatchObject({ type: 'customer.deleted', aggregate_id: customer.id, version: 1 });
  });

  it('is nobody for an unknown or malformed id and for a stranger', async () => {
    const { domain, customer } = await aCreatedCustomer();
    for (const [owner, id] of [
      [OWNER, NOBODY],
      [OWNER, 'c-7'],
      [STRANGER, customer.id],
    ] as const) {
      const notFound = { type: 'customer_not_found', id };
      expect(await refuses(domain.getCustomer(owner, id))).toEqual(notFound);
      expect(await refuses(domain.changeCustomer(owner, id, { name: 'x' }))).toEqual(notFound);
      expect(await refuses(domain.deleteCustomer(owner, id))).toEqual(notFound);
    }
  });

  it('stays while an order names them, and is forgotten with their keys afterwards', async () => {
    const domain = aDomain();
    const key = { idempotencyKey: 'create' };
    const { customer } = await succeeds(domain.createCustomer(OWNER, ADA, key));
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody({ customer_id: customer.id })));
    expect(await refuses(domain.deleteCustomer(OWNER, customer.id))).toEqual({ type: 'customer_has_orders' });
    await succeeds(domain.deleteOrder(OWNER, order.id));
    await succeeds(domain.deleteCustomer(OWNER, customer.id));
    const forgotten = { type: 'customer_not_found', id: customer.id };
    expect(await refuses(domain.createCustomer(OWNER, ADA, key))).toEqual(forgotten);
  });
});

describe('a list of customers', () => {
  it('shows the newest first, a page at a time, of the owner alone', async () => {
    const domain = aDomain();
    for (const name of ['a', 'b', 'c']) {
      domain.clock.advance(1000);
      await aCreatedCustomer(domain, { email: `${name}@example.com`, name });
    }
    await succeeds(domain.createCustomer(STRANGER, ADA));
    const first = await succeeds(domain.listCustomers(OWNER, { limit: 2 }));
    expect(first.data.map(({ name }) => name)).toEqual(['c', 'b']);
    const rest = await succeeds(domain.listCustomers(OWNER, { after: first.next ?? undefined, limit: 1 }));
    expect(rest.data.map(({ name }) => name)).toEqual(['a']);
  });

  it('is refused with everything that is bad about the query', async () => {
    const input = { sort: 'email', limit: 101, offset: 10_001, after: { value: 'x', id: 'y' } };
    expect(await refuses(aDomain().listCustomers(OWNER, input))).toMatchObject(
      badFields(
        'sort: invalid_value',
        'limit: out_of_range',
        'offset: out_of_range',
        'after: invalid_value',
        'offset: invalid_value',
      ),
    );
  });
});
