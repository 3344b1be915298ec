import { IDEMPOTENCY_TTL_MS_DEFAULT } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aBody,
  aDomain,
  aLine,
  anOrderIn,
  aPlacedOrder,
  badFields,
  NOBODY,
  OWNER,
  refuses,
  STRANGER,
  succeeds,
} from './a-domain.ts';

const KEY = { idempotencyKey: 'key-1' };
const REUSED = { type: 'idempotency_key_reused' };

describe('a key', () => {
  it('belongs to one command on one order', async () => {
    const domain = aDomain();
    const other = await anOrderIn(domain, 'paid');
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    for (const id of [order.id, other.id, NOBODY]) {
      expect(await refuses(domain.changeOrder(OWNER, id, {}, KEY))).toEqual(REUSED);
      expect(await refuses(domain.cancelOrder(OWNER, id, {}, KEY))).toEqual(REUSED);
      expect(await refuses(domain.deleteOrder(OWNER, id, KEY))).toEqual(REUSED);
    }
    expect(await succeeds(domain.getOrder(OWNER, order.id))).toEqual(order);
  });

  it.each(['changeOrder', 'cancelOrder', 'deleteOrder'] as const)(
    'used by %s is not free for the same on another order',
    async (use) => {
      const domain = aDomain();
      const [first, second] = [await aPlacedOrder(domain), await aPlacedOrder(domain)];
      const write = (id: string) =>
        use === 'deleteOrder' ? domain.deleteOrder(OWNER, id, KEY) : domain[use](OWNER, id, noteOrNothing(use), KEY);
      expect((await write(first.id)).isOk()).toBe(true);
      expect((await write(second.id))._unsafeUnwrapErr()).toEqual(REUSED);
      expect((await refuses(domain.placeOrder(OWNER, aBody(), KEY))).type).toBe('idempotency_key_reused');
      expect(await succeeds(domain.getOrder(OWNER, second.id))).toEqual(second);
    },
  );

  it('tells a change of nothing from a deletion', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const other = { idempotencyKey: 'key-2' };
    await succeeds(domain.changeOrder(OWNER, id, {}, KEY));
    expect(await refuses(domain.deleteOrder(OWNER, id, KEY))).toEqual(REUSED);
    await succeeds(domain.deleteOrder(OWNER, id, other));
    expect(await refuses(domain.changeOrder(OWNER, id, {}, other))).toEqual(REUSED);
  });

  it('belongs to its owner: another may use the same', async () => {
    const domain = aDomain();
    const mine = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    const theirs = await succeeds(domain.placeOrder(STRANGER, aBody({ note: 'n' }), KEY));
    expect(theirs.replayed).toBe(false);
    expect(theirs.order.id).not.toBe(mine.order.id);
    expect((await refuses(domain.cancelOrder(STRANGER, mine.order.id))).type).toBe('order_not_found');
  });

  it('is looked at before the order, its version and its state', async () => {
    const domain = aDomain();
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody({ reference: 'PO-1' })));
    const cancelled = await succeeds(domain.cancelOrder(OWNER, order.id, {}, { ...KEY, ifVersion: [1] }));
    const again = await succeeds(domain.cancelOrder(OWNER, order.id, {}, { ...KEY, ifVersion: [1] }));
    expect(again).toEqual({ order: cancelled.order, event: null, replayed: true });
    expect(await refuses(domain.changeOrder(OWNER, order.id, { status: 'paid' }, KEY))).toEqual(REUSED);
    expect(await refuses(domain.placeOrder(OWNER, aBody({ reference: 'PO-1' }), KEY))).toEqual(REUSED);
    expect(await refuses(domain.placeOrder(OWNER, aBody({ customer_id: NOBODY }), KEY))).toEqual(REUSED);
  });

  it('is looked at after the body was judged on its own', async () => {
    const domain = aDomain();
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    expect(await refuses(domain.placeOrder(OWNER, {}, KEY))).toMatchObject(badFields('items: required'));
    const mixed = aBody({ items: [aLine(), aLine({ unit_price: { amount: 1, currency: 'USD' } })] });
    expect((await refuses(domain.placeOrder(OWNER, mixed, KEY))).type).toBe('currency_mismatch');
    const dear = aBody({ items: [aLine({ quantity: 1e6, unit_price: { amount: 1e12, currency: 'EUR' } })] });
    expect((await refuses(domain.placeOrder(OWNER, dear, KEY))).type).toBe('amount_out_of_range');
    const change = domain.changeOrder(OWNER, order.id, { note: 5 }, KEY);
    expect(await refuses(change)).toMatchObject(badFields('note: wrong_type'));
    const cancel = domain.cancelOrder(OWNER, order.id, { reason: 5 }, KEY);
    expect(await refuses(cancel)).toMatchObject(badFields('reason: wrong_type'));
  });
});

const noteOrNothing = (use: 'changeOrder' | 'cancelOrder') => (use === 'changeOrder' ? { note: 'n' } : {});

describe('a refused request leaves its key free', () => {
  it.each([
    ['a bad field', { note: 5 }],
    ['two currencies', { items: [aLine(), aLine({ unit_price: { amount: 1, currency: 'USD' } })] }],
    ['an unknown customer', { customer_id: NOBODY }],
    ['a reference that is taken', { reference: 'PO-1' }],
  ])('for the corrected one, after %s', async (_, fields) => {
    const domain = aDomain();
    await aPlacedOrder(domain, { reference: 'PO-1' });
    expect((await domain.placeOrder(OWNER, aBody(fields), KEY)).isErr()).toBe(true);
    expect((await succeeds(domain.placeOrder(OWNER, aBody(), KEY))).replayed).toBe(false);
  });

  it('to be judged anew: what was refused may be well by now', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const ship = () => domain.changeOrder(OWNER, id, { status: 'shipped' }, KEY);
    expect((await refuses(ship())).type).toBe('invalid_status_transition');
    await succeeds(domain.changeOrder(OWNER, id, { status: 'paid' }));
    expect(await succeeds(ship())).toMatchObject({ order: { status: 'shipped' }, replayed: false });
  });

  it('for every change and deletion that found no order or another version', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const stale = { ...KEY, ifVersion: [7] };
    expect((await refuses(domain.deleteOrder(OWNER, NOBODY, KEY))).type).toBe('order_not_found');
    expect((await refuses(domain.deleteOrder(OWNER, id, stale))).type).toBe('version_mismatch');
    expect((await refuses(domain.cancelOrder(OWNER, id, {}, stale))).type).toBe('version_mismatch');
    expect((await refuses(domain.changeOrder(OWNER, NOBODY, {}, KEY))).type).toBe('order_not_found');
    expect((await succeeds(domain.deleteOrder(OWNER, id, KEY))).replayed).toBe(false);
  });
});

describe('the time of a key', () => {
  it('is a day unless set otherwise', async () => {
    expect(IDEMPOTENCY_TTL_MS_DEFAULT).toBe(86_400_000);
    const domain = aDomain();
    await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    domain.clock.advance(IDEMPOTENCY_TTL_MS_DEFAULT - 1);
    expect((await succeeds(domain.placeOrder(OWNER, aBody(), KEY))).replayed).toBe(true);
    domain.clock.advance(1);
    expect((await succeeds(domain.placeOrder(OWNER, aBody(), KEY))).replayed).toBe(false);
  });

  it('is over to the millisecond, after which the key is free for any command', async () => {
    const domain = aDomain({ idempotencyTtlMs: 1000 });
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    domain.clock.advance(999);
    expect(await refuses(domain.cancelOrder(OWNER, order.id, {}, KEY))).toEqual(REUSED);
    domain.clock.advance(1);
    expect((await succeeds(domain.cancelOrder(OWNER, order.id, {}, KEY))).replayed).toBe(false);
  });

  it('counts from the first use, not from a repeat', async () => {
    const domain = aDomain({ idempotencyTtlMs: 1000 });
    await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    domain.clock.advance(600);
    expect((await succeeds(domain.placeOrder(OWNER, aBody(), KEY))).replayed).toBe(true);
    domain.clock.advance(600);
    expect((await succeeds(domain.placeOrder(OWNER, aBody(), KEY))).replayed).toBe(false);
    domain.clock.advance(999);
    expect((await succeeds(domain.placeOrder(OWNER, aBody(), KEY))).replayed).toBe(true);
  });
});
