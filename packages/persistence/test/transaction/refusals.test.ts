import { type Database, handled, openDatabase, type OrdersDatabase } from '@orders/persistence';
import { ok } from 'neverthrow';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLOSABLE } from '../../../domain/test/fixtures/closable.ts';
import {
  aPartlyFulfilled,
  ofAnyOrders,
  ORDER_WRITES,
  orderWritesOf,
} from '../../../domain/test/fixtures/order-writes.ts';
import { serverOf } from '../definitions/bakery.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const tested = testDatabase();
const open = () => untilFinished(openDatabase({ url: tested.url, definition: CLOSABLE, poolMax: 2 }));

type Closable = ReturnType<typeof serverOf<typeof CLOSABLE>>['domain'];

type Door = (work: (domain: Closable) => Promise<void>) => Promise<unknown>;

/** The ways to a domain on PostgreSQL. Each commits after `work`. The compiler requires those of a database. */
const DOORS: Readonly<Record<Exclude<keyof Database, keyof OrdersDatabase> | 'createDomain', Door>> = {
  createDomain: (work) => work(serverOf(tested.url, CLOSABLE).domain),
  transaction: async (work) =>
    await open().transaction(async ({ domain }) => {
      await work(domain);
      return ok(null);
    }),
  joinTransaction: async (work) => {
    const client = new Client({ connectionString: tested.url });
    onTestFinished(() => client.end());
    await client.connect();
    await client.query('begin');
    await work((await open().joinTransaction(client)).domain);
    await client.query('commit');
  },
};

describe.each(Object.entries(DOORS))('the guards of a definition by %s', (name, use) => {
  it('refuse every write, and a retry returns the recorded result', async () => {
    const { domain: outside } = serverOf(tested.url, CLOSABLE);
    const order = await aPartlyFulfilled(ofAnyOrders(outside), name);
    await use(async (domain) => {
      expect(orderWritesOf(domain)).toEqual(Object.keys(ORDER_WRITES));
      const close = () => domain.changeOrder(name, order.id, { metadata: { closed: 'yes' } }, { idempotencyKey: 'k' });
      const closed = (await close())._unsafeUnwrap().order;
      for (const write of Object.values(ORDER_WRITES))
        expect((await handled(write(ofAnyOrders(domain), closed, name)))._unsafeUnwrapErr()).toEqual({
          type: 'refused',
          code: 'closed',
          message: 'The order is closed.',
        });
      expect((await close())._unsafeUnwrap()).toEqual({ order: closed, event: null, replayed: true });
      expect((await domain.listOrders(name))._unsafeUnwrap().data).toEqual([closed]);
    });
    expect((await outside.listOrders(name))._unsafeUnwrap().data).toMatchObject([{ metadata: { closed: 'yes' } }]);
  });
});
