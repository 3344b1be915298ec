import type { ImportedOrder } from '@orders/client';
import { describe, expect, it } from 'vitest';
import { bare, DOORS, NO_ID, take, TEA } from './doors.ts';

const ORDER = { items: [TEA] };
const OLD: ImportedOrder = { id: NO_ID, items: [TEA], created_at: '2025-01-01T00:00:00Z' };

describe.each(DOORS)('a batch through %s', (_, open) => {
  it('has the result of placing each alone with its key, also when it is repeated', async () => {
    const { orders } = await open();
    const inputs = [
      { order: { ...ORDER, reference: 'PO-1' }, idempotencyKey: 'a' },
      { order: { ...ORDER, reference: 'PO-1' }, idempotencyKey: 'b' },
      { order: { items: [] }, idempotencyKey: 'c' },
    ];
    const [placed, taken, invalid] = await orders.placeMany(inputs);
    const first = placed?._unsafeUnwrap();
    expect(first).toEqual({
      order: (await orders.get(first?.order.id ?? ''))._unsafeUnwrap(),
      replayed: false,
      idempotencyKey: 'a',
    });
    expect(bare(taken?._unsafeUnwrapErr() ?? { type: '' })).toEqual({
      type: 'reference_taken',
      order_id: first?.order.id,
      errors: [{ field: 'reference', message: 'is taken', code: 'taken' }],
    });
    expect(invalid).toMatchObject({ error: { type: 'validation_failed', errors: [{ field: 'items' }] } });
    const [again] = await orders.placeMany(inputs);
    expect(again?._unsafeUnwrap()).toEqual({ ...first, replayed: true });
    expect(await orders.place(ORDER, { idempotencyKey: 'a' })).toMatchObject({
      error: { type: 'idempotency_key_reused' },
    });
  });

  it('has the same error for all where it fails as a whole', async () => {
    const { orders } = await open();
    const results = await orders.placeMany(Array(101).fill({ order: ORDER }));
    expect(results).toHaveLength(101);
    for (const result of results)
      expect(result).toMatchObject({
        error: { type: 'validation_failed', errors: [{ field: 'orders', code: 'too_long' }] },
      });
    const unsent = await orders.placeMany([{ order: ORDER, idempotencyKey: 'k' }], { signal: AbortSignal.abort() });
    expect(unsent).toMatchObject([
      { error: { type: 'unreachable', reason: 'aborted', outcome: 'unknown', idempotencyKey: 'k' } },
    ]);
    expect(await take(orders.list())).toEqual([]);
  });

  it('imports each order once', async () => {
    const { orders } = await open();
    const [imported, bad] = await orders.importMany([{ ...OLD, status: 'paid', paid_at: OLD.created_at }, ORDER]);
    expect(imported).toMatchObject({ value: { order: { id: NO_ID, status: 'paid' }, replayed: false } });
    expect(bad).toMatchObject({ error: { type: 'validation_failed' } });
    const [again] = await orders.importMany([{ ...OLD, status: 'paid', paid_at: OLD.created_at }], { asHistory: true });
    expect(again).toMatchObject({ value: { replayed: true } });
    const [other] = await orders.importMany([{ ...OLD, note: 'other' }]);
    expect(bare(other?._unsafeUnwrapErr() ?? { type: '' })).toEqual({ type: 'id_taken', order_id: NO_ID });
  });

  it('imports what an export has read, which is then the same', async () => {
    const [{ orders: source, clock }, { orders: target, clock: later }] = [await open(), await open()];
    later.advance(60_000);
    for (const reference of ['PO-1', 'PO-2', 'PO-3']) {
      await source.place({ ...ORDER, reference });
      clock.advance(1000);
    }
    await source.customers.create({ email: 'ada@example.com' });
    const lines = await take(source.export({ created_at_before: clock.now().toISOString() }));
    expect(lines.map((line) => (line.kind === 'order' ? line.reference : line.email))).toEqual([
      'ada@example.com',
      'PO-1',
      'PO-2',
      'PO-3',
    ]);
    const orders = lines.flatMap(({ kind, ...line }) => ('items' in line && kind === 'order' ? [line] : []));
    await target.importMany(orders);
    expect((await take(target.export())).filter(({ kind }) => kind === 'order')).toEqual(lines.slice(1));
  });

  it('exports the orders of a customer without personal data while the erasure is pending', async () => {
    const { orders, clock } = await open();
    const ada = (await orders.customers.create({ email: 'ada@example.com' }))._unsafeUnwrap().customer;
    await orders.place({ ...ORDER, customer_id: ada.id, note: 'for Ada' });
    // The request that begins an erasure looks at fewer versions.
    for (const _ of [1, 2]) await orders.placeMany(Array(100).fill({ order: ORDER }));
    await orders.place({ ...ORDER, customer_id: ada.id, note: 'for Ada, too' });
    clock.advance(1000);
    const { customer } = (await orders.customers.erase(ada.id))._unsafeUnwrap();
    expect(customer.erasure).toEqual({ status: 'pending' });
    const [line, ...others] = await take(orders.export());
    expect(line).toEqual({ kind: 'customer', ...customer, erasure: { status: 'done' } });
    expect(others).toHaveLength(202);
    for (const order of [others[0], others.at(-1)])
      expect(order).toMatchObject({ customer_id: ada.id, note: null, erased_at: customer.erased_at });
  });
});
