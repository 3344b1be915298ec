import { describe, expect, it } from 'vitest';
import { bare, DOORS, NO_ID, take, TEA } from './doors.ts';

describe.each(DOORS)('customers through %s', (_, open) => {
  it('creates, reads, changes and deletes a customer', async () => {
    const { customers } = (await open()).orders;
    const created = (await customers.create({ email: 'ada@example.com', metadata: { a: 'b' } }))._unsafeUnwrap();
    const { customer, idempotencyKey } = created;
    expect(customer).toMatchObject({ email: 'ada@example.com', name: null, metadata: { a: 'b' }, version: 1 });
    expect((await customers.get(customer.id))._unsafeUnwrap()).toEqual(customer);
    const again = await customers.create({ email: 'ada@example.com', metadata: { a: 'b' } }, { idempotencyKey });
    expect(again._unsafeUnwrap()).toEqual({ ...created, replayed: true });
    const changed = await customers.change(customer.id, { name: 'Ada' }, { ifVersion: 1 });
    expect(changed._unsafeUnwrap().customer).toMatchObject({ name: 'Ada', version: 2 });
    const updated = await customers.update(customer.id, ({ name }) => ({ name: `${name} L.` }));
    expect(updated._unsafeUnwrap().customer).toMatchObject({ name: 'Ada L.', version: 3 });
    const stale = await customers.delete(customer.id, { ifVersion: 1 });
    expect(bare(stale._unsafeUnwrapErr())).toEqual({ type: 'precondition_failed', current_version: 3 });
    expect((await customers.delete(customer.id))._unsafeUnwrap().replayed).toBe(false);
    expect(bare((await customers.get(customer.id))._unsafeUnwrapErr())).toEqual({ type: 'customer_not_found' });
  });

  it('lists everything that is stored of a customer', async () => {
    const { orders } = await open();
    const { customer } = (await orders.customers.create({ email: 'ada@example.com' }))._unsafeUnwrap();
    const { order } = (await orders.place({ items: [TEA], customer_id: customer.id, note: 'Ada' }))._unsafeUnwrap();
    await orders.change(order.id, { note: 'A.' });
    expect(await take(orders.customers.data(customer.id, { limit: 1 }))).toMatchObject([
      { kind: 'customer', ...customer },
      { kind: 'order', id: order.id, note: 'A.', version: 2 },
      { kind: 'order_version', order_id: order.id, version: 2, order: { note: 'A.' } },
      { kind: 'order_version', order_id: order.id, version: 1, order: { note: 'Ada' } },
    ]);
    const missing = await orders.customers.data(NO_ID).page();
    expect(bare(missing._unsafeUnwrapErr())).toEqual({ type: 'customer_not_found' });
  });

  it('erases a customer, who then stays as it is', async () => {
    const { orders } = await open();
    const { customers } = orders;
    const { customer } = (await customers.create({ email: 'ada@example.com' }))._unsafeUnwrap();
    const { order } = (await orders.place({ items: [TEA], customer_id: customer.id, note: 'Ada' }))._unsafeUnwrap();
    const erased = (await customers.erase(customer.id, { ifVersion: 1 }))._unsafeUnwrap();
    expect(erased.customer).toMatchObject({ email: null, version: 2, erasure: { status: 'done' } });
    expect((await customers.erase(customer.id))._unsafeUnwrap().customer).toEqual(erased.customer);
    expect((await orders.get(order.id))._unsafeUnwrap()).toMatchObject({ note: null, version: 2 });
    const rejected = [
      await customers.change(customer.id, { name: 'Ada' }),
      await orders.place({ items: [TEA], customer_id: customer.id }),
    ];
    for (const result of rejected) expect(bare(result._unsafeUnwrapErr())).toEqual({ type: 'customer_erased' });
  });

  it('erases a person by email, and lists what is stored of it before', async () => {
    const { orders } = await open();
    const { order } = (await orders.place({ items: [TEA], buyer: { email: 'Ada@example.com' } }))._unsafeUnwrap();
    const person = { email: 'ada@example.com' };
    expect(await take(orders.erasures.data({ ...person, limit: 1 }))).toMatchObject([
      { kind: 'order', id: order.id },
      { kind: 'order_version', order_id: order.id, version: 1 },
    ]);
    const erased = (await orders.erasures.create(person))._unsafeUnwrap();
    expect(erased.erasure).toEqual({ id: erased.erasure.id, status: 'done' });
    const again = await orders.erasures.create(person, { idempotencyKey: erased.idempotencyKey });
    expect(again._unsafeUnwrap()).toEqual({ ...erased, replayed: true });
    expect((await orders.erasures.get(erased.erasure.id))._unsafeUnwrap()).toEqual(erased.erasure);
    expect(await take(orders.erasures.data(person))).toEqual([]);
    expect(bare((await orders.erasures.get(NO_ID))._unsafeUnwrapErr())).toEqual({ type: 'erasure_not_found' });
    const refused = (await orders.erasures.data({ ...person, after: 'bm8' }).page())._unsafeUnwrapErr();
    expect(bare(refused)).toMatchObject({ type: 'validation_failed', errors: [{ field: 'after' }] });
  });

  it('returns what is taken and what is referred to', async () => {
    const { orders } = await open();
    const { customer } = (await orders.customers.create({ email: 'ada@example.com' }))._unsafeUnwrap();
    expect(bare((await orders.customers.create({ email: 'ADA@example.com' }))._unsafeUnwrapErr())).toEqual({
      type: 'email_taken',
      customer_id: customer.id,
      errors: [{ field: 'email', message: 'is taken', code: 'taken' }],
    });
    expect((await orders.place({ items: [TEA], customer_id: customer.id })).isOk()).toBe(true);
    expect(bare((await orders.customers.delete(customer.id))._unsafeUnwrapErr())).toEqual({
      type: 'customer_has_orders',
    });
    const foreign = (await orders.place({ items: [TEA], customer_id: NO_ID }))._unsafeUnwrapErr();
    expect(bare(foreign)).toMatchObject({
      type: 'validation_failed',
      errors: [{ field: 'customer_id', code: 'not_found' }],
    });
  });

  it.each([NO_ID, 'ada'])('has no customer %j', async (id) => {
    const { customers } = (await open()).orders;
    const results = await Promise.all([
      customers.get(id),
      customers.change(id, { name: 'x' }),
      customers.update(id, () => ({ name: 'x' })),
      customers.delete(id),
      customers.erase(id),
    ]);
    for (const result of results) expect(bare(result._unsafeUnwrapErr())).toEqual({ type: 'customer_not_found' });
  });

  it('finds a customer by email, id and time', async () => {
    const { orders, clock } = await open();
    const { customers } = orders;
    const { customer } = (await customers.create({ email: 'ada@example.com' }))._unsafeUnwrap();
    clock.advance(1000);
    await customers.create({ email: 'bob@example.com' });
    expect((await customers.search({ email: 'ADA@example.com' }))._unsafeUnwrap()).toEqual([customer]);
    expect((await customers.search({ email: 'eve@example.com' }))._unsafeUnwrap()).toEqual([]);
    const rejected = await customers.search({ email: 'ada' });
    expect(bare(rejected._unsafeUnwrapErr())).toMatchObject({ errors: [{ field: 'email', code: 'invalid_format' }] });
    expect(await take(customers.list({ ids: [customer.id, NO_ID] }))).toEqual([customer]);
    expect(await take(customers.list({ updated_at_before: '2026-01-02T03:04:06.678Z' }))).toEqual([customer]);
  });

  it('lists customers over pages', async () => {
    const { customers } = (await open()).orders;
    for (const email of ['a@x.y', 'b@x.y', 'c@x.y']) await customers.create({ email });
    const found = await take(customers.list({ sort: 'created_at', limit: 2 }));
    expect(found.map(({ email }) => email)).toEqual(['a@x.y', 'b@x.y', 'c@x.y']);
  });
});
