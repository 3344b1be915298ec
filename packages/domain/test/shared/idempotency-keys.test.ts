import { IDEMPOTENCY_TTL_MS_DEFAULT } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aBody,
  aDomain,
  aLine,
  anOrderIn,
  aPlacedOrder,
  fails,
  invalidFields,
  OTHER_OWNER,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const KEY = { idempotencyKey: 'key-1' };
const REUSED = { type: 'idempotency_key_reused' };

describe('an idempotency key', () => {
  it('belongs to one command on one order', async () => {
    const domain = aDomain();
    const other = await anOrderIn(domain, 'paid');
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    for (const id of [order.id, other.id, UNKNOWN_ID]) {
      expect(await fails(domain.changeOrder(OWNER, id, {}, KEY))).toEqual(REUSED);
      expect(await fails(domain.cancelOrder(OWNER, id, {}, KEY))).toEqual(REUSED);
      expect(await fails(domain.deleteOrder(OWNER, id, KEY))).toEqual(REUSED);
    }
    expect(await succeeds(domain.getOrder(OWNER, order.id))).toEqual(order);
  });

  it.each(['changeOrder', 'cancelOrder', 'deleteOrder'] as const)('is rejected by %s on another order', async (use) => {
    const domain = aDomain();
    const [first, second] = [await aPlacedOrder(domain), await aPlacedOrder(domain)];
    const write = (id: string) =>
      use === 'deleteOrder' ? domain.deleteOrder(OWNER, id, KEY) : domain[use](OWNER, id, noteOrNothing(use), KEY);
    expect((await write(first.id)).isOk()).toBe(true);
    expect((await write(second.id))._unsafeUnwrapErr()).toEqual(REUSED);
    expect((await fails(domain.placeOrder(OWNER, aBody(), KEY))).type).toBe('idempotency_key_reused');
    expect(await succeeds(domain.getOrder(OWNER, second.id))).toEqual(second);
  });

  it('distinguishes a change without effect from a deletion', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const other = { idempotencyKey: 'key-2' };
    await succeeds(domain.changeOrder(OWNER, id, {}, KEY));
    expect(await fails(domain.deleteOrder(OWNER, id, KEY))).toEqual(REUSED);
    await succeeds(domain.deleteOrder(OWNER, id, other));
    expect(await fails(domain.changeOrder(OWNER, id, {}, other))).toEqual(REUSED);
  });

  it('belongs to its owner, so that another owner may use the same', async () => {
    const domain = aDomain();
    const mine = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    const theirs = await succeeds(domain.placeOrder(OTHER_OWNER, aBody({ note: 'n' }), KEY));
    expect(theirs.replayed).toBe(false);
    expect(theirs.order.id).not.toBe(mine.order.id);
    expect((await fails(domain.cancelOrder(OTHER_OWNER, mine.order.id))).type).toBe('order_not_found');
  });

  it('is checked before the order, its version and its status', async () => {
    const domain = aDomain();
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody({ reference: 'PO-1' })));
    const cancelled = await succeeds(domain.cancelOrder(OWNER, order.id, {}, { ...KEY, ifVersion: [1] }));
    const again = await succeeds(domain.cancelOrder(OWNER, order.id, {}, { ...KEY, ifVersion: [1] }));
    expect(again).toEqual({ order: cancelled.order, event: null, replayed: true });
    expect(await fails(domain.changeOrder(OWNER, order.id, { status: 'paid' }, KEY))).toEqual(REUSED);
    expect(await fails(domain.placeOrder(OWNER, aBody({ reference: 'PO-1' }), KEY))).toEqual(REUSED);
    expect(await fails(domain.placeOrder(OWNER, aBody({ customer_id: UNKNOWN_ID }), KEY))).toEqual(REUSED);
  });

  it('is checked after the validation of the input', async () => {
    const domain = aDomain();
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    expect(await fails(domain.placeOrder(OWNER, {}, KEY))).toMatchObject(invalidFields('items: required'));
    const mixed = aBody({ items: [aLine(), aLine({ unit_price: { amount: 1, currency: 'USD' } })] });
    expect((await fails(domain.placeOrder(OWNER, mixed, KEY))).type).toBe('currency_mismatch');
    const dear = aBody({ items: [aLine({ quantity: 1e6, unit_price: { amount: 1e12, currency: 'EUR' } })] });
    expect((await fails(domain.placeOrder(OWNER, dear, KEY))).type).toBe('amount_out_of_range');
    const change = domain.changeOrder(OWNER, order.id, { note: 5 }, KEY);
    expect(await fails(change)).toMatchObject(invalidFields('note: wrong_type'));
    const cancel = domain.cancelOrder(OWNER, order.id, { reason: 5 }, KEY);
    expect(await fails(cancel)).toMatchObject(invalidFields('reason: wrong_type'));
  });
});

const noteOrNothing = (use: 'changeOrder' | 'cancelOrder') => (use === 'changeOrder' ? { note: 'n' } : {});

describe('the idempotency key of a failed write', () => {
  it.each([
    ['an invalid field', { note: 5 }],
    ['two currencies', { items: [aLine(), aLine({ unit_price: { amount: 1, currency: 'USD' } })] }],
    ['an unknown customer', { customer_id: UNKNOWN_ID }],
    ['the reference of another order', { reference: 'PO-1' }],
  ])('is usable for the corrected input after %s', async (_, fields) => {
    const domain = aDomain();
    await aPlacedOrder(domain, { reference: 'PO-1' });
    expect((await domain.placeOrder(OWNER, aBody(fields), KEY)).isErr()).toBe(true);
    expect((await succeeds(domain.placeOrder(OWNER, aBody(), KEY))).replayed).toBe(false);
  });

  it('is usable for a retry that succeeds later', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const ship = () => domain.changeOrder(OWNER, id, { status: 'shipped' }, KEY);
    expect((await fails(ship())).type).toBe('invalid_status_transition');
    await succeeds(domain.changeOrder(OWNER, id, { status: 'paid' }));
    expect(await succeeds(ship())).toMatchObject({ order: { status: 'shipped' }, replayed: false });
  });

  it('is usable after a change or deletion failed for a missing order or a version', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const stale = { ...KEY, ifVersion: [7] };
    expect((await fails(domain.deleteOrder(OWNER, UNKNOWN_ID, KEY))).type).toBe('order_not_found');
    expect((await fails(domain.deleteOrder(OWNER, id, stale))).type).toBe('version_mismatch');
    expect((await fails(domain.cancelOrder(OWNER, id, {}, stale))).type).toBe('version_mismatch');
    expect((await fails(domain.changeOrder(OWNER, UNKNOWN_ID, {}, KEY))).type).toBe('order_not_found');
    expect((await succeeds(domain.deleteOrder(OWNER, id, KEY))).replayed).toBe(false);
  });
});

describe('the expiry of an idempotency key', () => {
  it('defaults to one day', async () => {
    expect(IDEMPOTENCY_TTL_MS_DEFAULT).toBe(86_400_000);
    const domain = aDomain();
    await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    domain.clock.advance(IDEMPOTENCY_TTL_MS_DEFAULT - 1);
    expect((await succeeds(domain.placeOrder(OWNER, aBody(), KEY))).replayed).toBe(true);
    domain.clock.advance(1);
    expect((await succeeds(domain.placeOrder(OWNER, aBody(), KEY))).replayed).toBe(false);
  });

  it('is exact to the millisecond and frees the key for any command', async () => {
    const domain = aDomain({ idempotencyTtlMs: 1000 });
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    domain.clock.advance(999);
    expect(await fails(domain.cancelOrder(OWNER, order.id, {}, KEY))).toEqual(REUSED);
    domain.clock.advance(1);
    expect((await succeeds(domain.cancelOrder(OWNER, order.id, {}, KEY))).replayed).toBe(false);
  });

  it('counts from the first use, not from a retry', async () => {
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
