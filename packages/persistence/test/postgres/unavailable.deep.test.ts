import { parseOrderQuery } from '@orders/domain';
import { anOrder } from '@orders/domain/testing';
import { type DatabaseSettings, openDatabase, postgresApiKeys, postgresWebhookQueue } from '@orders/persistence';
import { describe, expect, inject, it } from 'vitest';
import { decidedOrders, withNote } from '../fixtures/decided-writes.ts';
import { endpointId, insertEndpoint, insertVersions } from '../fixtures/delivery-rows.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';

const database = testDatabase();

const open = (url: string, settings: DatabaseSettings = {}) =>
  untilFinished(openDatabase({ preparedStatements: inject('preparedStatements'), ...settings, url }));

describe('an unreachable database', () => {
  it('is unavailable to every call, never "not found"', async () => {
    const nowhere = open('postgresql://orders:secret@127.0.0.1:1/orders');
    const orders = decidedOrders(nowhere);
    const order = anOrder();
    const results = [
      await orders.find('owner', order.id),
      await orders.list('owner', parseOrderQuery({})._unsafeUnwrap()),
      await orders.insert('owner', order),
      await orders.update('owner', order.id, withNote('x')),
      await orders.delete('owner', order.id),
      await postgresApiKeys(nowhere).find('hash'),
      await postgresWebhookQueue(nowhere).findDue(1, null),
      await postgresWebhookQueue(nowhere).claim('owner', 1),
    ];
    for (const result of results) expect(result._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
  });

  it('is so because its URL requires TLS, or a file that is missing, of which no statement waits', async () => {
    await expect(open(`${database.url}?sslmode=verify-full`).ping()).rejects.toThrow('does not support SSL');
    const url = `${database.url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`;
    const orders = decidedOrders(open(url, { connectTimeoutMs: 60_000 * 60 }));
    for (let count = 0; count < 30; count += 1) {
      const refused = { type: 'unavailable', cause: { name: 'NoConnection', cause: { code: 'ENOENT' } } };
      expect((await orders.find('owner', anOrder().id))._unsafeUnwrapErr()).toMatchObject(refused);
    }
  });
});

describe('a database that fails during a query', () => {
  it('receives no further query on a connection whose end PostgreSQL announced', async () => {
    const { proxy, server } = await watchedServer(database.url, { poolMax: 1 });
    const { id } = anOrder();
    const find = async () => (await decidedOrders(server).find('owner', id))._unsafeUnwrapErr();
    const notFound = { type: 'order_not_found', id };
    expect(await find()).toEqual(notFound);
    proxy.fault(1, 'terminated');
    expect(await find()).toMatchObject({ type: 'unavailable', cause: { code: '57P01' } });
    expect(await find()).toEqual(notFound);
  });

  it('is no queue that another session has locked: a fan-out passes over it alone', async () => {
    await insertEndpoint(database.url, 'owner', endpointId(1));
    await insertVersions(database.url, 'owner', 1, [1, 1]);
    const { proxy, server } = await watchedServer(database.url);
    proxy.fault(1, 'cut_before', ({ text }) => text.includes('webhook_fan_out'));
    expect((await postgresWebhookQueue(server).fanOut('owner'))._unsafeUnwrapErr().type).toBe('unavailable');
  });
});
