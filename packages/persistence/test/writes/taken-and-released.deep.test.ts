import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { openDatabase } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { describe, expect, inject, it } from 'vitest';
import { decidedOrders } from '../fixtures/decided-writes.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

describe('a write whose reference is taken again before each of its attempts', () => {
  const owner = randomUUID();
  const take = () =>
    execute(
      database.url,
      `insert into orders (owner_id, id, status, reference, currency, total_amount, item_count, items, metadata, version,
         created_at, updated_at)
       values ('${owner}', '${randomUUIDv7()}', 'pending', 'PO-1', 'EUR', 1, 1, '[]', '{}', 1, now(), now())`,
    );
  const release = () => execute(database.url, `delete from orders where owner_id = '${owner}'`);

  /** Places an order whose reference another client holds at each insert and has released at each lookup. */
  async function place(rounds: number, statementTimeoutMs?: number) {
    const proxy = await startPostgresProxy(database.url);
    const one = openDatabase({
      url: proxy.url,
      preparedStatements: inject('preparedStatements'),
      connectTimeoutMs: 60_000,
      statementTimeoutMs,
    });
    try {
      await one.ping();
      proxy.clear();
      for (let round = 0; round < rounds; round += 1) {
        proxy.fault(2 * round + 1, async () => void (await take()));
        proxy.fault(2 * round + 2, async () => void (await release()));
      }
      const order = anOrder({ reference: 'PO-1' });
      const placed = await decidedOrders(one).insert(owner, { order, event: anEventOf(owner, order) });
      return { placed, statements: proxy.statements.length };
    } finally {
      await one.close();
      await proxy.close();
      await release();
    }
  }

  it('succeeds at the sixth attempt', async () => {
    const { placed, statements } = await place(5);
    expect(placed._unsafeUnwrap().order.reference).toBe('PO-1');
    expect(statements).toBe(11);
  });

  it('is unavailable after the statement timeout, and waits between attempts', async () => {
    const rounds = 1000;
    const { placed, statements } = await place(rounds, 2000);
    expect(placed._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause: { code: '23505' } });
    expect(statements).toBeLessThan(rounds / 4);
  });
});
