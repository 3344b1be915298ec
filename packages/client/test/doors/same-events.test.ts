import { describe, expect, it } from 'vitest';
import { bare, DOORS, take, TEA } from './doors.ts';

describe.each(DOORS)('events through %s', (_, open) => {
  it('reads pages with the resource at its version', async () => {
    const { orders } = await open();
    const { order } = (await orders.place({ items: [TEA] }))._unsafeUnwrap();
    await orders.change(order.id, { status: 'paid' });
    await orders.customers.create({ email: 'ada@example.com' });
    const first = (await orders.events.page({ limit: 1, include: ['resource'] }))._unsafeUnwrap();
    expect(first).toMatchObject({
      data: [
        {
          position: 1,
          type: 'order.placed',
          changed: [],
          resource: { type: 'order', id: order.id, version: 1, data: order },
        },
      ],
      caught_up: false,
    });
    const rest = (await orders.events.page({ after: first.next_cursor }))._unsafeUnwrap();
    expect(rest.data.map(({ type, resource }) => [type, 'data' in resource])).toEqual([
      ['order.paid', false],
      ['customer.created', false],
    ]);
    expect(rest.caught_up).toBe(true);
    const paid = (await orders.events.page({ types: ['order.paid', 'order.placed'] }))._unsafeUnwrap();
    expect(paid.data.map(({ position }) => position)).toEqual([1, 2]);
    const latest = (await orders.events.page({ start: 'latest' }))._unsafeUnwrap();
    expect(latest).toEqual({ data: [], next_cursor: rest.next_cursor, caught_up: true });
  });

  it('follows from a cursor, and gets what happens meanwhile', async () => {
    const { orders } = await open();
    await orders.place({ items: [TEA] });
    const { next_cursor: after } = (await orders.events.page({ start: 'latest' }))._unsafeUnwrap();
    const following = take(orders.events.follow({ after }), 3);
    const { order } = (await orders.place({ items: [TEA] }))._unsafeUnwrap();
    await orders.change(order.id, { status: 'paid' });
    await orders.cancel(order.id);
    expect((await following).map(({ position, type }) => [position, type])).toEqual([
      [2, 'order.placed'],
      [3, 'order.paid'],
      [4, 'order.cancelled'],
    ]);
  });

  it('continues at the cursor of a page', async () => {
    const { orders } = await open();
    await orders.place({ items: [TEA] });
    const [page] = await take(orders.events.followPages(), 1);
    await orders.place({ items: [TEA] });
    const [next] = await take(orders.events.followPages({ after: page?.next_cursor }), 1);
    expect([page, next].map((each) => each?.data.map(({ position }) => position))).toEqual([[1], [2]]);
  });

  it('ends when the signal is aborted, also during a wait and inside a page', async () => {
    const { orders } = await open();
    const stop = new AbortController();
    const waiting = take(orders.events.follow({ start: 'latest', signal: stop.signal }));
    setTimeout(() => stop.abort(), 100);
    expect(await waiting).toEqual([]);
    for (let number = 0; number < 3; number += 1) await orders.place({ items: [TEA] });
    const second = new AbortController();
    const seen: number[] = [];
    for await (const { position } of orders.events.follow({ signal: second.signal })) {
      seen.push(position);
      if (position === 2) second.abort();
    }
    expect(seen).toEqual([1, 2]);
  });

  it('reports purged events, with the cursor before the oldest', async () => {
    const { orders, store, clock } = await open();
    for (let number = 0; number < 3; number += 1) {
      await orders.place({ items: [TEA] });
      clock.advance(1000);
    }
    const { next_cursor: after } = (await orders.events.page({ limit: 1 }))._unsafeUnwrap();
    store.purgeEvents('2026-01-02T03:04:07.600Z');
    const expired = (await orders.events.page({ after }))._unsafeUnwrapErr();
    expect(expired.type).toBe('events_expired');
    const cursor = expired.type === 'events_expired' ? expired.oldest_cursor : '';
    expect((await orders.events.page({ after: cursor }))._unsafeUnwrap().data.map(({ position }) => position)).toEqual([
      3,
    ]);
    await expect(take(orders.events.follow({ after }))).rejects.toMatchObject({
      name: 'RequestFailed',
      error: { type: 'events_expired' },
    });
  });

  it('rejects an invalid query, and throws it out of an iteration', async () => {
    const { orders } = await open();
    const rejected = (await orders.events.page({ after: 'nonsense' }))._unsafeUnwrapErr();
    expect(bare(rejected)).toMatchObject({ type: 'validation_failed', errors: [{ field: 'after' }] });
    const thrown = { name: 'RequestFailed', error: { type: 'validation_failed' } };
    await expect(take(orders.events.follow({ after: 'nonsense' }))).rejects.toMatchObject(thrown);
    const { next_cursor: after } = (await orders.events.page())._unsafeUnwrap();
    await expect(take(orders.events.follow({ after, start: 'latest' }))).rejects.toMatchObject(thrown);
  });
});
