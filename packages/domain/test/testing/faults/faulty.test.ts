import { createDomain } from '@orders/domain';
import {
  faulty,
  fixedClock,
  type FaultScript,
  inMemoryStore,
  seededFaults,
  sequentialIds,
} from '@orders/domain/testing';
import type { WebhookSender } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import { fails, OWNER, succeeds, UNKNOWN_ID } from '../../fixtures/a-domain.ts';

const SALE = { items: [{ sku: 'RYE', name: 'Rye', quantity: 1, unit_price: { amount: 420, currency: 'EUR' } }] };

function aFaultyDomain(faults: FaultScript) {
  const store = inMemoryStore();
  const domain = createDomain({ ...faulty(store, faults), clock: fixedClock(), ids: sequentialIds() });
  return { ...domain, events: () => store.events().map(({ type }) => type) };
}

describe('a script of faults', () => {
  it('fails the call of its place, before it is made', async () => {
    const domain = aFaultyDomain({ 'orders.commit': [null, 'unavailable'] });
    await succeeds(domain.placeOrder(OWNER, SALE));
    expect(await fails(domain.placeOrder(OWNER, SALE))).toMatchObject({ type: 'unavailable' });
    await succeeds(domain.placeOrder(OWNER, SALE));
    expect(domain.events()).toEqual(['order.placed', 'order.placed']);
  });

  it('fails a call after it was made', async () => {
    const domain = aFaultyDomain({ 'orders.commit': ['done_then_unavailable'] });
    const place = () => domain.placeOrder(OWNER, SALE, { idempotencyKey: 'once' });
    expect(await fails(place())).toMatchObject({ type: 'unavailable' });
    expect(await succeeds(place())).toMatchObject({ replayed: true });
    expect(domain.events()).toEqual(['order.placed']);
  });

  it('makes an error of the port, every time if it is no list', async () => {
    const taken = { type: 'reference_taken', order_id: sequentialIds(7).next() } as const;
    const domain = aFaultyDomain({ 'orders.commit': { error: { type: 'refused', reason: taken } } });
    for (let time = 0; time < 2; time += 1) expect(await fails(domain.placeOrder(OWNER, SALE))).toEqual(taken);
    expect(domain.events()).toEqual([]);
  });

  it('lets a write conflict, and its transaction be rolled back or decided twice', async () => {
    const stale = { error: { type: 'stale' } } as const;
    const domain = aFaultyDomain({
      'orders.commit': [null, stale, stale],
      'orders.commitLocked': ['rolled_back', 'decided_twice'],
    });
    const { order } = await succeeds(domain.placeOrder(OWNER, SALE));
    const cancel = () => domain.cancelOrder(OWNER, order.id);
    expect(await fails(cancel())).toMatchObject({ type: 'unavailable' });
    expect(await succeeds(domain.getOrder(OWNER, order.id))).toEqual(order);
    expect(await succeeds(cancel())).toMatchObject({ order: { status: 'cancelled', version: 2 } });
    expect(domain.events()).toEqual(['order.placed', 'order.cancelled']);
  });

  it('delays an outcome, and loses it', async () => {
    const paused: number[] = [];
    const timer = { now: () => 0, random: () => 0, pause: (ms: number) => Promise.resolve(void paused.push(ms)) };
    const store = inMemoryStore();
    const ports = { ...faulty(store, { 'orders.commit': [{ lateMs: 500 }, 'done_then_hangs', 'hangs'] }, { timer }) };
    const domain = createDomain({ ...ports, clock: fixedClock(), ids: sequentialIds() });
    await succeeds(domain.placeOrder(OWNER, SALE));
    expect(paused).toEqual([500]);
    const lost = [domain.placeOrder(OWNER, SALE), domain.placeOrder(OWNER, SALE)];
    await expect.poll(() => store.events().length).toBe(2);
    expect(await Promise.race([...lost, Promise.resolve('nothing')])).toBe('nothing');
  });

  it('repeats a message, and takes the place of one', async () => {
    const sent: string[] = [];
    const accepted = { status: 204, error: null, duration_ms: 1, retryAfterMs: null };
    const timedOut = { status: null, error: 'timed_out', duration_ms: 15_000, retryAfterMs: null } as const;
    const sender: WebhookSender = { send: (owner) => Promise.resolve(void sent.push(owner)).then(() => accepted) };
    const faultySender = faulty({ sender }, { 'sender.send': ['done_twice', { returns: timedOut }] }).sender;
    const message = [OWNER, { id: 'e', url: 'https://a.example', secrets: [] }, { id: 'm', body: '{}' }] as const;
    expect(await faultySender.send(...message)).toEqual(accepted);
    expect(await faultySender.send(...message)).toEqual(timedOut);
    expect(sent).toEqual([OWNER, OWNER]);
  });

  it('returns the methods with fewer calls than faults', async () => {
    const store = faulty(inMemoryStore(), {
      'orders.list': 'done_twice',
      'orders.load': [null, 'unavailable'],
      'feed.wait': 'hangs',
    });
    const domain = createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() });
    await succeeds(domain.listOrders(OWNER));
    await fails(domain.getOrder(OWNER, UNKNOWN_ID));
    expect(store.unreached()).toEqual(['orders.load', 'feed.wait']);
    await fails(domain.getOrder(OWNER, UNKNOWN_ID));
    expect(store.unreached()).toEqual(['feed.wait']);
  });

  it('has methods of its ports alone', () => {
    const { customers } = inMemoryStore();
    // @ts-expect-error -- a misspelt method
    expect(() => faulty({ customers }, { 'customers.commits': 'unavailable' })).toThrow(
      'unknown option "customers.commits"',
    );
    // @ts-expect-error -- a method without I/O
    expect(() => faulty({ customers }, { 'customers.plan': 'hangs' })).toThrow(TypeError);
    expect(() => faulty({ customers }, { 'orders.load': 'hangs' })).toThrow('expected customers.load, ');
  });

  it('compiles with the faults of its methods alone', () => {
    const scripts: readonly FaultScript[] = [
      // @ts-expect-error -- an error of another method
      { 'orders.load': { error: { type: 'stale' } } },
      // @ts-expect-error -- a value that takes the place of a result
      { 'orders.load': { returns: null } },
      // @ts-expect-error -- an error of a method that never fails
      { 'feed.wait': 'unavailable' },
      // @ts-expect-error -- a rollback of no transaction
      { 'orders.commit': 'rolled_back' },
    ];
    for (const script of scripts) expect(() => faulty(inMemoryStore(), script)).not.toThrow();
  });
});

describe('a seeded plan of faults', () => {
  it('is the same for the same seed, and has the faults of a method alone', () => {
    const draw = (seed: number) => {
      const plan = seededFaults(seed, 0.5);
      return Array.from({ length: 200 }, (_, index) => [plan('orders.load', index), plan('feed.wait', index)]);
    };
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
    const reads = new Set(draw(3).map(([load]) => JSON.stringify(load)));
    expect([...reads].toSorted()).toEqual(['"done_then_unavailable"', '"unavailable"', 'null', '{"lateMs":20}']);
    expect(draw(3).every(([, wait]) => wait === null)).toBe(true);
  });
});
