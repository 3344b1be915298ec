import { randomUUID } from 'node:crypto';
import { uuidv7Ids } from '@orders/domain/runtime';
import { anOrder } from '@orders/domain/testing';
import { describe, expect, inject, it } from 'vitest';
import { decidedOrders } from '../fixtures/decided-writes.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';

const database = testDatabase();
const ids = uuidv7Ids();

describe('a write whose reference is taken again before each of its attempts', () => {
  /** Places an order whose reference another client holds at each insert and has released at each lookup. */
  async function place(rounds: number, statementTimeoutMs?: number) {
    const owner = randomUUID();
    const take = `insert into orders (owner_id, id, status, reference, currency, total_amount, element_count, items, metadata,
       version, created_at, updated_at)
     values ('${owner}', '${ids.next()}', 'pending', 'PO-1', 'EUR', 1, 1, '[]', '{}', 1, now(), now())`;
    const preparedStatements = inject('preparedStatements');
    const settings = { preparedStatements, connectTimeoutMs: 60_000, statementTimeoutMs };
    const { proxy, server } = await watchedServer(database.url, settings);
    for (let round = 0; round < rounds; round += 1) {
      proxy.fault(2 * round + 1, async () => void (await execute(database.url, take)));
      const release = `delete from orders where owner_id = '${owner}'`;
      proxy.fault(2 * round + 2, async () => void (await execute(database.url, release)));
    }
    const placed = await decidedOrders(server).insert(owner, anOrder({ reference: 'PO-1' }));
    return { placed, statements: proxy.statements.length };
  }

  it('succeeds at the sixth attempt', async () => {
    const { placed, statements } = await place(5);
    expect(placed._unsafeUnwrap().aggregate.reference).toBe('PO-1');
    expect(statements).toBe(11);
  });

  it('is unavailable after the statement timeout, and waits between attempts', async () => {
    const rounds = 1000;
    const { placed, statements } = await place(rounds, 2000);
    expect(placed._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause: { code: '23505' } });
    expect(statements).toBeLessThan(rounds / 4);
  });
});
