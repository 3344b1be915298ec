import { anEventOf, anOrder } from '@orders/domain/testing';
import { openDatabase } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { ok } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { upTo } from '../events/feed-rows.ts';
import { execute } from '../execute.ts';
import { testDatabase } from '../test-database.ts';
import { endpointId, insertEndpoint } from './delivery-rows.ts';
import { decidedOrders } from '../decided-writes.ts';

const database = testDatabase();

describe('the writes of an owner with ten endpoints', () => {
  it('are the same statements as without endpoints, and these use no table of webhooks', async () => {
    for (const number of upTo(10)) await insertEndpoint(database.url, 'with ten', endpointId(number));
    const proxy = await startPostgresProxy(database.url);
    const watched = openDatabase({ url: proxy.url });
    onTestFinished(async () => {
      await watched.close();
      await proxy.close();
    });
    const orders = decidedOrders(watched);
    const textsOf = async (owner: string) => {
      proxy.clear();
      const order = anOrder();
      (await orders.insert(owner, { order, event: anEventOf(owner, order) }))._unsafeUnwrap();
      const change = await orders.update(owner, order.id, (before) => {
        const changed = { ...before, note: 'changed', version: before.version + 1 };
        return ok({ order: changed, event: anEventOf(owner, changed) });
      });
      change._unsafeUnwrap();
      return proxy.statements.map(({ text }) => text);
    };
    const texts = await textsOf('with ten');
    expect(texts).toHaveLength(3);
    expect(await textsOf('without')).toEqual(texts);
    const called = await execute<{ body: string }>(
      database.url,
      `select prosrc as body from pg_proc where proname ~ '^(order|customer)_(insert|update|delete)_'`,
    );
    // Three of customers, and five of orders, two of which are for definitions of their own.
    expect(called).toHaveLength(8);
    for (const text of [...texts, ...called.map(({ body }) => body)]) expect(text).not.toContain('webhook');
  });
});
