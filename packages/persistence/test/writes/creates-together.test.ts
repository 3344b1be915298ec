import { randomUUID } from 'node:crypto';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import { postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

describe('creates that are stored together', () => {
  it('are one transaction, whose rows are those of single creates', async () => {
    const [owner, other] = [randomUUID(), randomUUID()];
    const orders = postgresOrderRepository(database.current);
    const writes = (of: string) =>
      [anOrder({ note: '“é” \\ "x"\n', metadata: { a: 'b' } }), anOrder({ reference: 'PO-1' })].map((after) => ({
        kind: 'create' as const,
        after,
        event: anEventOf(of, after),
        key: undefined,
      }));
    const together = writes(owner);
    expect((await orders.commitAll?.(owner, together))?._unsafeUnwrap()).toBe(true);
    const singles = together.map((write) => ({ ...write, event: { ...write.event, owner: other } }));
    for (const write of singles) (await orders.commit(other, write))._unsafeUnwrap();
    const rowsOf = async (of: string) =>
      await execute(
        database.url,
        ['orders', 'changes']
          .map(
            (table) =>
              `select '${table}', to_jsonb(it) - 'owner_id' as row from ${table} as it where owner_id = '${of}'`,
          )
          .join(' union all ') + ' order by 1, 2',
      );
    expect(await rowsOf(owner)).toEqual(await rowsOf(other));
    const transactions = `select distinct xmin::text from changes where owner_id = '${owner}'`;
    expect(await execute(database.url, transactions)).toHaveLength(1);
  });

  it('are none if two of them conflict with each other', async () => {
    const owner = randomUUID();
    const customers = postgresCustomerRepository(database.current);
    const creates = ['ada@example.com', 'ADA@example.com'].map((email) => {
      const after = aCustomer({ email });
      return { kind: 'create' as const, after, event: anEventOfCustomer(owner, after), key: undefined };
    });
    expect((await customers.commitAll?.(owner, creates))?._unsafeUnwrap()).toBe(false);
    expect(await execute(database.url, `select id from customers where owner_id = '${owner}'`)).toEqual([]);
  });
});
