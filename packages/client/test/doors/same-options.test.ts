import { createOrdersClient } from '@orders/client';
import { describe, expect, it } from 'vitest';
import { bare, DOORS, NO_ID, take, TEA } from './doors.ts';

/** An option that nothing has, behind one that everything has. */
const MISSPELT = { signal: undefined, idempotency_key: 'k' };

describe.each(DOORS)('options through %s', (_, open) => {
  it('are rejected with an unknown member, before anything is done', async () => {
    const { orders } = await open();
    const { customers, webhooks, events } = orders;
    const decide = () => expect.fail('a resource was read');
    for (const call of [
      () => orders.place({ items: [TEA] }, MISSPELT),
      () => orders.get(NO_ID, MISSPELT),
      () => orders.version(NO_ID, 1, MISSPELT),
      () => orders.change(NO_ID, {}, MISSPELT),
      () => orders.update(NO_ID, decide, MISSPELT),
      () => orders.cancel(NO_ID, {}, MISSPELT),
      () => orders.adjust(NO_ID, { adjustments: [] }, MISSPELT),
      () => orders.addItems(NO_ID, { items: [] }, MISSPELT),
      () => orders.fulfill(NO_ID, {}, MISSPELT),
      () => orders.cancelFulfillment(NO_ID, NO_ID, MISSPELT),
      () => orders.returnItems(NO_ID, { items: [] }, MISSPELT),
      () => orders.delete(NO_ID, MISSPELT),
      () => customers.create({ email: 'ada@example.com' }, MISSPELT),
      () => customers.get(NO_ID, MISSPELT),
      () => customers.change(NO_ID, {}, MISSPELT),
      () => customers.update(NO_ID, decide, MISSPELT),
      () => customers.delete(NO_ID, MISSPELT),
      () => webhooks.create({ url: 'https://receiver.example' }, MISSPELT),
      () => webhooks.get(NO_ID, MISSPELT),
      () => webhooks.change(NO_ID, {}, MISSPELT),
      () => webhooks.delete(NO_ID, MISSPELT),
      () => webhooks.rotateSecret(NO_ID, {}, MISSPELT),
      () => webhooks.test(NO_ID, MISSPELT),
      () => webhooks.redeliver(NO_ID, NO_ID, MISSPELT),
    ])
      expect(call).toThrow(/^unknown option "idempotency_key", expected .*signal/);
    await expect(take(events.follow(MISSPELT))).rejects.toThrow('unknown option "idempotency_key"');
    await expect(take(events.followPages(MISSPELT))).rejects.toThrow('unknown option "idempotency_key"');
    expect(await take(orders.list())).toEqual([]);
  });

  it('have no version for a creation and an update', async () => {
    const { orders } = await open();
    const options = { signal: undefined, ifVersion: 1 };
    for (const call of [
      () => orders.place({ items: [TEA] }, options),
      () => orders.update(NO_ID, () => ({}), options),
      () => orders.customers.create({ email: 'ada@example.com' }, options),
      () => orders.webhooks.create({ url: 'https://receiver.example' }, options),
    ])
      expect(call).toThrow('unknown option "ifVersion", expected idempotencyKey, externalUserId, signal');
  });

  it('name the user of changes, as the client does by default', async () => {
    const { orders, store } = await open('User 1');
    const { id } = (await orders.place({ items: [TEA] }))._unsafeUnwrap().order;
    (await orders.change(id, { note: 'x' }, { externalUserId: 'User 2' }))._unsafeUnwrap();
    (await orders.update(id, () => ({ note: 'y' }), { externalUserId: 'User 3' }))._unsafeUnwrap();
    for (const options of [{ externalUserId: 'User 4' }, {}]) {
      await orders.placeMany([{ order: { items: [TEA] } }], options);
      await orders.importMany([{ reference: `PO-${store.events().length}`, items: [TEA] }], options);
    }
    const users = ['User 1', 'User 2', 'User 3', 'User 4', 'User 4', 'User 1', 'User 1'];
    expect(store.events().map((event) => event.external_user_id)).toEqual(users);
  });

  it('have no user who may be an email address', async () => {
    const { orders, store } = await open();
    const options = { externalUserId: 'ada@example.com' };
    const order = { reference: 'PO-1', items: [TEA] };
    for (const [result] of [
      [await orders.place(order, options)],
      await orders.placeMany([{ order }], options),
      await orders.importMany([order], options),
    ]) {
      const errors = [{ field: 'Orders-External-User-Id', code: 'invalid_format' }];
      expect(result?._unsafeUnwrapErr()).toMatchObject({ type: 'validation_failed', errors });
    }
    expect(store.events()).toEqual([]);
    await expect((async () => await open('ada@example.com'))()).rejects.toThrow(/external ?user ?id must be/i);
  });

  it('are rejected as invalid fields in a query of a list', async () => {
    const { orders } = await open();
    const query = { limit: 1, offsets: 1 };
    for (const list of [orders.list(query), orders.items(NO_ID, query), orders.versions(NO_ID, query)]) {
      expect(bare((await list.page())._unsafeUnwrapErr())).toMatchObject({
        type: 'validation_failed',
        errors: [{ field: 'offsets', code: 'unknown_field' }],
      });
    }
    const page = await orders.events.page(query);
    expect(page._unsafeUnwrapErr()).toMatchObject({ errors: [{ field: 'offsets', code: 'unknown_field' }] });
  });
});

it.each([
  [{ baseUrl: 'https://orders.example', retry: 1 }, 'retry'],
  [{ baseUrl: 'https://orders.example', credentials: { apiKey: 'k', key: 'k' } }, 'key'],
])('a client is not created with an unknown option: %j', (options, name) => {
  expect(() => createOrdersClient(options)).toThrow(`unknown option "${name}", expected `);
});
