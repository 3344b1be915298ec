import { openDatabase } from '@orders/persistence';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { decidedOrders } from '../fixtures/decided-writes.ts';

const database = testDatabase();
const opened: { close(): Promise<void> }[] = [];

afterAll(async () => {
  for (const other of opened) await other.close();
});

describe('an instant', () => {
  for (const zone of ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Apia', 'Africa/Monrovia']) {
    it(`is the same to the millisecond with session time zone ${zone}`, async () => {
      const name = new URL(database.url).pathname.slice(1);
      await execute(database.url, `alter database ${name} set timezone to '${zone}'`);
      const other = openDatabase({ url: database.url, preparedStatements: inject('preparedStatements') });
      opened.push(other);
      const orders = decidedOrders(other);
      for (const created_at of [
        '2026-01-02T03:04:05.000Z',
        '2026-06-30T23:59:59.999Z',
        '2026-03-29T01:00:00.010Z',
        '1969-12-31T23:59:59.500Z',
      ]) {
        const order = anOrder({ created_at, paid_at: created_at });
        const event = anEventOf('owner', order);
        await orders.insert('owner', { order, event });
        expect((await orders.find('owner', order.id))._unsafeUnwrap()).toEqual(order);
      }
    });
  }
});
