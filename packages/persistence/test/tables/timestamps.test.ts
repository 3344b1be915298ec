import { anOrder } from '@orders/domain/testing';
import { openDatabase } from '@orders/persistence';
import { expect, inject, it } from 'vitest';
import { decidedOrders } from '../fixtures/decided-writes.ts';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

it.each(['UTC', 'Asia/Kolkata', 'Africa/Monrovia'])(
  'an instant is the same to the millisecond with session time zone %s',
  async (zone) => {
    const name = new URL(database.url).pathname.slice(1);
    await execute(database.url, `alter database ${name} set timezone to '${zone}'`);
    const preparedStatements = inject('preparedStatements');
    const orders = decidedOrders(untilFinished(openDatabase({ url: database.url, preparedStatements })));
    for (const created_at of ['2026-01-02T03:04:05.000Z', '2026-06-30T23:59:59.990Z', '1969-12-31T23:59:59.500Z']) {
      const order = anOrder({ created_at, paid_at: created_at });
      (await orders.insert('owner', order))._unsafeUnwrap();
      expect((await orders.find('owner', order.id))._unsafeUnwrap()).toEqual(order);
    }
  },
);
