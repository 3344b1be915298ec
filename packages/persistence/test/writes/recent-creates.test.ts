import { randomUUID } from 'node:crypto';
import { aCustomer, anAdjustment, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import { openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RecentCreates } from '../../src/writes/recent-creates.ts';
import type { WriteValues } from '../../src/writes/write-functions.ts';
import { decidedOrders, withNote } from '../fixtures/decided-writes.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { sent } from '../fixtures/watched-server.ts';

const database = testDatabase();

afterEach(() => void vi.useRealTimers());

describe('an aggregate that this process has created', () => {
  it('is kept once, as it would be loaded, by its owner alone', async () => {
    const [owner, orders] = [randomUUID(), postgresOrderRepository(database.current)];
    const customers = postgresCustomerRepository(database.current);
    const customer = aCustomer({ name: 'Zoë', metadata: { a: '"\\' } });
    await customers.commit(owner, {
      kind: 'create',
      after: customer,
      event: anEventOfCustomer(owner, customer),
      key: undefined,
    });
    expect(customers.findKept?.(owner, customer.id)).toMatchObject({ aggregate: customer });
    const plain = anOrder({ customer_id: customer.id, note: 'é', metadata: { a: 'b' } });
    const adjustments = [anAdjustment()];
    for (const after of [plain, anOrder({ adjustments })]) {
      await orders.commit(owner, { kind: 'create', after, event: anEventOf(owner, after), key: undefined });
      expect(orders.findKept?.(randomUUID(), after.id)).toBe(null);
      const kept = orders.findKept?.(owner, after.id)?.aggregate;
      expect(JSON.stringify(kept)).toBe(
        JSON.stringify((await orders.load(owner, after.id))._unsafeUnwrap()?.aggregate),
      );
      expect(orders.findKept?.(owner, after.id)).toBe(null);
    }
  });

  it('is changed without being read, and its next version after it was read', async () => {
    const statements = await sent(database.url, async (server) => {
      const [owner, orders] = [randomUUID(), decidedOrders(server)];
      const { id } = (await orders.insert(owner, anOrder()))._unsafeUnwrap().aggregate;
      await orders.update(owner, id, withNote('a'));
      await orders.update(owner, id, withNote('b'));
    });
    const kinds = statements.map(({ text }) => /_(insert|update)_/.exec(text)?.[1] ?? text.trim().split(' ', 1)[0]);
    expect(kinds).toEqual(['insert', 'update', 'select', 'update']);
  });

  it('is read if another process has changed or deleted it', async () => {
    const [owner, here] = [randomUUID(), decidedOrders(database.current)];
    const elsewhere = decidedOrders(untilFinished(openDatabase({ url: database.url })));
    const { id } = (await here.insert(owner, anOrder()))._unsafeUnwrap().aggregate;
    await elsewhere.update(owner, id, (before) => ({ ...before, reference: 'r', version: 2 }));
    const changed = (await here.update(owner, id, withNote('n')))._unsafeUnwrap().aggregate;
    expect(changed).toMatchObject({ version: 3, reference: 'r', note: 'n' });
    const other = (await here.insert(owner, anOrder()))._unsafeUnwrap().aggregate.id;
    await elsewhere.delete(owner, other);
    expect((await here.update(owner, other, withNote('n')))._unsafeUnwrapErr()).toMatchObject({
      type: 'order_not_found',
    });
  });
});

describe('what is kept', () => {
  const values = (id: string, note = ''): WriteValues => ({ owner_id: 'owner', id, note });

  it('is gone after ten seconds', () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const creates = new RecentCreates<WriteValues>([]);
    for (const id of ['a', 'b']) creates.add(values(id));
    vi.advanceTimersByTime(9999);
    expect(creates.take('owner', 'a')).toEqual(values('a'));
    vi.advanceTimersByTime(2);
    expect(creates.take('owner', 'b')).toBe(null);
    creates.add(values('c'));
    vi.advanceTimersByTime(9999);
    expect(creates.take('owner', 'c')).toEqual(values('c'));
    vi.advanceTimersByTime(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has at most one create for the last digits of an id, and none of more than two thousand characters', () => {
    const creates = new RecentCreates<WriteValues>([]);
    creates.add(values('1234'));
    creates.add(values('2234', 'x'.repeat(2000)));
    expect([creates.take('owner', '1234'), creates.take('owner', '2234')?.id]).toEqual([null, '2234']);
    creates.add(values('a', 'x'.repeat(2048)));
    expect(creates.take('owner', 'a')).toBe(null);
  });
});
