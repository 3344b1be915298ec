import { type OrderQuery, RequestFailed } from '@orders/client';
import { SCANNED_ELEMENTS_MAX } from '@orders/domain';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { bare, DOORS, euros, NO_ID, take, TEA } from './doors.ts';

describe.each(DOORS)('orders through %s', (_, open) => {
  it('places an order and returns its key', async () => {
    const { orders } = await open();
    const placed = (await orders.place({ items: [TEA], reference: 'PO-1' }))._unsafeUnwrap();
    expect(placed).toMatchObject({
      order: { status: 'pending', total: { amount: 900, currency: 'EUR' }, reference: 'PO-1', version: 1 },
      replayed: false,
    });
    expect(placed.order.available_transitions).toEqual(['paid', 'cancelled']);
    expect(placed.idempotencyKey).toMatch(/^[\x21-\x7e]+$/);
    expect((await orders.get(placed.order.id))._unsafeUnwrap()).toEqual(placed.order);
  });

  it('replays a write with the same key', async () => {
    const { orders } = await open();
    const first = (await orders.place({ items: [TEA] }))._unsafeUnwrap();
    const { idempotencyKey } = first;
    const second = (await orders.place({ items: [TEA] }, { idempotencyKey }))._unsafeUnwrap();
    expect(second).toEqual({ ...first, replayed: true });
    const other = await orders.place({ items: [TEA], note: 'other' }, { idempotencyKey });
    expect(bare(other._unsafeUnwrapErr())).toEqual({ type: 'idempotency_key_reused' });
  });

  it('accepts a key that needs quotes in a header', async () => {
    const { orders } = await open();
    const options = { idempotencyKey: '"a\\b",' };
    const first = (await orders.place({ items: [TEA] }, options))._unsafeUnwrap();
    expect((await orders.place({ items: [TEA] }, options))._unsafeUnwrap()).toEqual({ ...first, replayed: true });
  });

  it.each(['', ' ', 'é', 'a b', 'a\nb', 'x'.repeat(256)])('rejects the key %j', async (idempotencyKey) => {
    const { orders } = await open();
    const rejected = (await orders.place({ items: [TEA] }, { idempotencyKey }))._unsafeUnwrapErr();
    expect(rejected).toEqual({
      type: 'validation_failed',
      errors: [
        { field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters', code: 'invalid_format' },
      ],
    });
    expect(await take(orders.list())).toEqual([]);
  });

  it('rejects an invalid order with all invalid fields', async () => {
    const { orders } = await open();
    const rejected = await orders.place({ items: [{ ...TEA, quantity: 0 }], note: 'x'.repeat(2001) });
    expect(bare(rejected._unsafeUnwrapErr())).toMatchObject({
      type: 'validation_failed',
      errors: [
        { field: 'items[0].quantity', code: 'out_of_range' },
        { field: 'note', code: 'too_long' },
      ],
    });
  });

  it('rejects two currencies, a huge total and a taken reference', async () => {
    const { orders } = await open();
    const dollars = { ...TEA, unit_price: { amount: 1, currency: 'USD' } } as const;
    expect(bare((await orders.place({ items: [TEA, dollars] }))._unsafeUnwrapErr())).toEqual({
      type: 'currency_mismatch',
      errors: [{ field: 'items[1].unit_price.currency', message: 'must be EUR', code: 'invalid_value' }],
    });
    const huge = { ...TEA, quantity: 1_000_000, unit_price: { amount: 10 ** 12, currency: 'EUR' } } as const;
    expect(bare((await orders.place({ items: [huge] }))._unsafeUnwrapErr())).toEqual({
      type: 'amount_out_of_range',
      errors: [{ field: 'items[0]', message: 'must have a total of at most 9007199254740991', code: 'out_of_range' }],
    });
    const { order } = (await orders.place({ items: [TEA], reference: 'PO-1' }))._unsafeUnwrap();
    const taken = (await orders.place({ items: [TEA], reference: 'PO-1' }))._unsafeUnwrapErr();
    expect(bare(taken)).toEqual({
      type: 'reference_taken',
      order_id: order.id,
      errors: [{ field: 'reference', message: 'is taken', code: 'taken' }],
    });
  });

  it.each([NO_ID, 'PO-1', '../customers', ''])('has no order %j', async (id) => {
    const { orders } = await open();
    const results = await Promise.all([
      orders.get(id),
      orders.change(id, { note: 'x' }),
      orders.update(id, () => ({ note: 'x' })),
      orders.cancel(id),
      orders.adjust(id, { adjustments: [{ type: 'fee', name: 'Gift', amount: euros(100) }] }),
      orders.fulfill(id),
      orders.cancelFulfillment(id, 'none'),
      orders.returnItems(id, { items: [{ item_id: NO_ID, quantity: 1 }] }),
      orders.delete(id),
      orders.items(id).page(),
      orders.versions(id).page(),
    ]);
    for (const result of results) expect(bare(result._unsafeUnwrapErr())).toEqual({ type: 'order_not_found' });
    expect(bare((await orders.version(id, 1))._unsafeUnwrapErr())).toEqual({ type: 'version_not_found' });
  });

  it('lists by status over pages of any size', async () => {
    const { orders, clock } = await open();
    const ids: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      ids.push((await orders.place({ items: [TEA] }))._unsafeUnwrap().order.id);
      clock.advance(1000);
    }
    await orders.change(ids[2] ?? '', { status: 'paid' });
    const query = { status: ['pending', 'shipped'], sort: 'created_at', limit: 2 } as const;
    expect((await take(orders.list(query))).map(({ id }) => id)).toEqual(ids.toSpliced(2, 1));
    const pages = await take(orders.list(query).pages());
    expect(pages.map(({ data }) => data.length)).toEqual([2, 2]);
    const after = pages[0]?.next_cursor ?? '';
    expect((await orders.list({ ...query, after }).page())._unsafeUnwrap()).toEqual(pages[1]);
    expect(pages[1]?.next_cursor).toBeNull();
    const rest = ids.toSpliced(2, 1).slice(1);
    expect((await take(orders.list({ ...query, offset: 1 }))).map(({ id }) => id)).toEqual(rest);
  });

  it('lists by ids, the beginning of references, and ranges of time', async () => {
    const { orders, clock } = await open();
    const times: string[] = [];
    const ids: string[] = [];
    // The cursor of an embedded domain must not end at the separator in a reference.
    for (const reference of ['PO-~3', 'PO-~1\n', 'PO-~2', 'other']) {
      const { order } = (await orders.place({ items: [TEA], reference }))._unsafeUnwrap();
      ids.push(order.id);
      times.push(order.created_at);
      clock.advance(1000);
    }
    const find = async (query: OrderQuery) =>
      (await take(orders.list({ ...query, limit: 1 }))).map(({ id }) => ids.indexOf(id));
    expect(await find({ ids: [ids[0] ?? '', NO_ID, ids[2]?.toUpperCase() ?? ''] })).toEqual([2, 0]);
    expect(await find({ reference_prefix: 'PO-~' })).toEqual([1, 2, 0]);
    expect(await find({ created_at_from: times[1], created_at_before: times[3] })).toEqual([2, 1]);
    await orders.change(ids[0] ?? '', { note: 'x' });
    expect(await find({ updated_at_from: times[3], updated_at_before: '2027-01-01T00:00:00+01:00' })).toEqual([3, 0]);
    expect(await find({ updated_at_from: times[3], sort: 'updated_at' })).toEqual([3, 0]);
  });

  it('reads on after an empty page that is not the last one', async () => {
    const { orders, store } = await open();
    const count = SCANNED_ELEMENTS_MAX + 1;
    for (let index = 0; index < count; index += 1) {
      const created_at = new Date(Date.UTC(2026, 0, 1) + index).toISOString();
      const after = anOrder({ created_at, updated_at: index === 0 ? '2026-06-01T00:00:00.000Z' : created_at });
      const write = { kind: 'create', after, event: anEventOf('acme', after), key: undefined } as const;
      (await store.orders.commit('acme', write))._unsafeUnwrap();
    }
    const list = orders.list({ updated_at_from: '2026-05-01T00:00:00Z' });
    const { data, next_cursor } = (await list.page())._unsafeUnwrap();
    expect([data, typeof next_cursor]).toEqual([[], 'string']);
    expect(await take(list)).toMatchObject([{ created_at: '2026-01-01T00:00:00.000Z' }]);
  });

  it('rejects an invalid query, and throws it out of an iteration', async () => {
    const { orders } = await open();
    expect(bare((await orders.list({ limit: 0 }).page())._unsafeUnwrapErr())).toMatchObject({
      type: 'validation_failed',
      errors: [{ field: 'limit', code: 'out_of_range' }],
    });
    for (const after of ['nonsense', '1~2', '']) {
      const rejected = (await orders.list({ after }).page())._unsafeUnwrapErr();
      expect(bare(rejected)).toMatchObject({ type: 'validation_failed', errors: [{ field: 'after' }] });
    }
    const thrown = await take(orders.list({ limit: 0 })).catch((error: unknown) => error);
    expect(thrown instanceof RequestFailed && thrown.error.type).toBe('validation_failed');
  });

  it('lists the items in pages', async () => {
    const { orders } = await open();
    const items = [1, 2, 3].map((quantity) => ({ ...TEA, quantity }));
    const { order } = (await orders.place({ items }))._unsafeUnwrap();
    expect(await take(orders.items(order.id, { limit: 2 }))).toEqual(order.items);
  });

  it('lists and returns versions, also after the deletion', async () => {
    const { orders } = await open();
    const { order } = (await orders.place({ items: [TEA] }))._unsafeUnwrap();
    const { order: paid } = (await orders.change(order.id, { status: 'paid' }))._unsafeUnwrap();
    const deleted = (await orders.delete(order.id, { ifVersion: 2 }))._unsafeUnwrap();
    expect(deleted).toEqual({ idempotencyKey: deleted.idempotencyKey, replayed: false });
    const versions = await take(orders.versions(order.id, { limit: 2 }));
    expect(versions.map(({ type, version }) => [type, version])).toEqual([
      ['order.deleted', 3],
      ['order.paid', 2],
      ['order.placed', 1],
    ]);
    expect(versions[1]?.order).toEqual(paid);
    const [page] = await take(orders.versions(order.id, { limit: 2 }).pages(), 1);
    const both = { after: page?.next_cursor ?? '', at: paid.updated_at };
    expect(bare((await orders.versions(order.id, both).page())._unsafeUnwrapErr())).toEqual({
      type: 'validation_failed',
      errors: [{ field: 'at', message: 'cannot be combined with after', code: 'invalid_value' }],
    });
    expect((await orders.version(order.id, 1))._unsafeUnwrap().order).toEqual(order);
    expect(bare((await orders.version(order.id, 9))._unsafeUnwrapErr())).toEqual({ type: 'version_not_found' });
    expect((await orders.version(order.id, 2 ** 31))._unsafeUnwrapErr()).toEqual({ type: 'version_not_found' });
    expect(bare((await orders.get(order.id))._unsafeUnwrapErr())).toEqual({ type: 'order_not_found' });
  });

  it('changes only the expected version', async () => {
    const { orders } = await open();
    const { order } = (await orders.place({ items: [TEA] }))._unsafeUnwrap();
    const changed = (await orders.change(order.id, { note: 'one' }, { ifVersion: 1 }))._unsafeUnwrap();
    expect(changed.order).toMatchObject({ note: 'one', version: 2 });
    const stale = { ifVersion: 1 };
    for (const result of [
      await orders.change(order.id, { note: 'two' }, stale),
      await orders.cancel(order.id, {}, stale),
      await orders.adjust(order.id, { adjustments: [{ type: 'fee', name: 'Gift', amount: euros(100) }] }, stale),
      await orders.fulfill(order.id, {}, stale),
      await orders.cancelFulfillment(order.id, NO_ID, stale),
      await orders.returnItems(order.id, { items: [{ item_id: order.items[0]?.id ?? '', quantity: 1 }] }, stale),
      await orders.delete(order.id, stale),
    ]) {
      expect(bare(result._unsafeUnwrapErr())).toEqual({ type: 'precondition_failed', current_version: 2 });
    }
  });

  it('updates the newest version, whatever comes in between', async () => {
    const { orders } = await open();
    const { order } = (await orders.place({ items: [TEA] }))._unsafeUnwrap();
    const seen: number[] = [];
    const updated = await orders.update(order.id, ({ version }) => {
      seen.push(version);
      return { note: `after ${version}` };
    });
    expect(updated._unsafeUnwrap().order).toMatchObject({ note: 'after 1', version: 2 });
    const notes = await Promise.all(
      [1, 2, 3].map((number) =>
        orders.update(order.id, ({ metadata }) => ({ metadata: { ...metadata, [`n${number}`]: 'x' } })),
      ),
    );
    expect(notes.every((note) => note.isOk())).toBe(true);
    const after = (await orders.get(order.id))._unsafeUnwrap();
    expect(after).toMatchObject({ version: 5, metadata: { n1: 'x', n2: 'x', n3: 'x' } });
    expect(seen).toEqual([1]);
  });

  it('returns what the lifecycle rejects', async () => {
    const { orders } = await open();
    const { order } = (await orders.place({ items: [TEA] }))._unsafeUnwrap();
    expect(bare((await orders.change(order.id, { status: 'delivered' }))._unsafeUnwrapErr())).toEqual({
      type: 'invalid_status_transition',
      current_status: 'pending',
      available_transitions: ['paid', 'cancelled'],
    });
    const { order: cancelled } = (await orders.cancel(order.id, { reason: 'late' }))._unsafeUnwrap();
    expect(cancelled).toMatchObject({ status: 'cancelled', cancel_reason: 'late' });
    expect(bare((await orders.cancel(order.id))._unsafeUnwrapErr())).toEqual({
      type: 'order_already_cancelled',
      cancelled_at: cancelled.cancelled_at,
      current_version: 2,
    });
    expect(bare((await orders.change(order.id, { reference: 'x' }))._unsafeUnwrapErr())).toEqual({
      type: 'order_not_modifiable',
    });
  });

  it('charges, ships in parts, takes items back and refunds', async () => {
    const { orders } = await open();
    const { order } = (
      await orders.place({
        items: [{ ...TEA, quantity: 4 }],
        adjustments: [
          { type: 'discount', name: 'Four teas', amount: euros(-100), item: 0 },
          { type: 'shipping', name: 'Parcel', amount: euros(490) },
          { type: 'tax', name: 'VAT', amount: euros(350), included: true },
        ],
      })
    )._unsafeUnwrap();
    const item_id = order.items[0]?.id ?? '';
    expect(order).toMatchObject({ subtotal: euros(1800), total: euros(2190), fulfillments: [] });
    expect(order.adjustments[0]).toMatchObject({ type: 'discount', item_id, included: false });
    const of = (quantity: number) => ({ items: [{ item_id, quantity }] });

    const options = { idempotencyKey: 'parcel' };
    const tracking = { carrier: 'DHL', number: '0034' };
    const parcel = (await orders.fulfill(order.id, { ...of(2), tracking }, options))._unsafeUnwrap();
    const again = await orders.fulfill(order.id, { ...of(2), tracking }, options);
    expect(again._unsafeUnwrap()).toEqual({ ...parcel, replayed: true });
    const [sent] = parcel.order.fulfillments;
    expect(sent).toMatchObject({ ...of(2), tracking: { ...tracking, url: null }, cancelled_at: null });
    await orders.cancelFulfillment(order.id, sent?.id ?? '');
    await orders.cancel(order.id, { ...of(1), reason: 'broken' });
    await orders.fulfill(order.id);
    const refund = { type: 'refund', name: 'One tea', amount: euros(-450), item_id } as const;
    await orders.returnItems(order.id, { ...of(1), reason: 'bitter', adjustments: [refund] });
    const { order: adjusted } = (
      await orders.adjust(order.id, { adjustments: [{ type: 'shipping', name: 'Late', amount: euros(-490) }] })
    )._unsafeUnwrap();

    expect(adjusted).toMatchObject({
      status: 'pending',
      items: [{ quantity: 4, fulfilled_quantity: 3, cancelled_quantity: 1, returned_quantity: 1, total: euros(1350) }],
      subtotal: euros(1350),
      total: euros(800),
    });
    expect((await take(orders.versions(order.id))).map(({ type, reason }) => [type, reason])).toEqual([
      ['order.adjusted', null],
      ['order.items_returned', 'bitter'],
      ['order.items_fulfilled', null],
      ['order.items_cancelled', 'broken'],
      ['order.fulfillment_cancelled', null],
      ['order.items_fulfilled', null],
      ['order.placed', null],
    ]);
  });

  it('returns what quantities and sums reject', async () => {
    const { orders } = await open();
    const fee = { type: 'fee', name: 'Gift', amount: euros(1) } as const;
    const { order } = (await orders.place({ items: [TEA], adjustments: [fee] }))._unsafeUnwrap();
    const item_id = order.items[0]?.id ?? '';
    const of = (quantity: number) => ({ items: [{ item_id, quantity }] });
    const { order: sent } = (await orders.fulfill(order.id, of(1)))._unsafeUnwrap();
    const id = sent.fulfillments[0]?.id ?? '';
    const adjust = (type: 'fee' | 'refund', amount: number, count = 1) =>
      orders.adjust(order.id, {
        adjustments: Array.from({ length: count }, () => ({ ...fee, type, amount: euros(amount) })),
      });

    const placed = await orders.place({
      items: [TEA],
      adjustments: [{ type: 'discount', name: 'x', amount: euros(-901) }],
    });
    expect(bare(placed._unsafeUnwrapErr())).toEqual({ type: 'negative_total' });
    expect(bare((await adjust('refund', -902))._unsafeUnwrapErr())).toEqual({ type: 'negative_total' });
    expect(bare((await adjust('fee', -2))._unsafeUnwrapErr())).toEqual({ type: 'adjustment_sign' });
    expect(bare((await adjust('fee', 1, 100))._unsafeUnwrapErr())).toEqual({ type: 'too_many_adjustments' });
    const one = { type: 'quantity_not_available', item_id, available: 1 };
    expect(bare((await orders.fulfill(order.id, of(2)))._unsafeUnwrapErr())).toEqual(one);
    expect(bare((await orders.returnItems(order.id, of(2)))._unsafeUnwrapErr())).toEqual(one);
    expect(bare((await orders.cancel(order.id, of(2)))._unsafeUnwrapErr())).toEqual(one);
    expect(
      bare((await orders.fulfill(order.id, { items: [{ item_id: NO_ID, quantity: 1 }] }))._unsafeUnwrapErr()),
    ).toEqual({
      type: 'validation_failed',
      errors: [{ field: 'items[0].item_id', message: 'must be the id of an item of the order', code: 'not_found' }],
    });
    for (const none of [NO_ID, 'none', '../cancel', ''])
      expect(bare((await orders.cancelFulfillment(order.id, none))._unsafeUnwrapErr())).toEqual({
        type: 'fulfillment_not_found',
      });
    const { order: corrected } = (await orders.cancelFulfillment(order.id, id))._unsafeUnwrap();
    expect(bare((await orders.cancelFulfillment(order.id, id))._unsafeUnwrapErr())).toEqual({
      type: 'fulfillment_already_cancelled',
      cancelled_at: corrected.fulfillments[0]?.cancelled_at,
      current_version: 3,
    });
    expect(bare((await orders.cancel(order.id, of(2)))._unsafeUnwrapErr())).toEqual({ type: 'nothing_would_remain' });
    await orders.cancel(order.id);
    expect(bare((await orders.fulfill(order.id))._unsafeUnwrapErr())).toEqual({ type: 'order_not_modifiable' });
  });

  it('does nothing for an aborted signal', async () => {
    const { orders } = await open();
    const signal = AbortSignal.abort();
    expect((await orders.place({ items: [TEA] }, { signal, idempotencyKey: 'k' }))._unsafeUnwrapErr()).toEqual({
      type: 'unreachable',
      reason: 'aborted',
      status: null,
      outcome: 'unknown',
      idempotencyKey: 'k',
    });
    const aborted = { type: 'unreachable', reason: 'aborted', status: null };
    expect((await orders.list({ signal }).page())._unsafeUnwrapErr()).toEqual(aborted);
    expect(await take(orders.list())).toEqual([]);
  });
});
