import { randomUUID } from 'node:crypto';
import type { Domain, Idempotency, Order } from '@orders/domain';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import { postgresCustomerRepository, postgresOrderRepository, postgresStore } from '@orders/persistence';
import { createDomain } from '@orders/domain/runtime';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { lastingKey } from '../fixtures/decided-writes.ts';
import { execute } from '../fixtures/execute.ts';
import { anotherSession } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { sent } from '../fixtures/watched-server.ts';

const database = testDatabase();

describe('creates that are stored together', () => {
  it('read no more rows among many than among few, by the plans that few gave', async () => {
    const owner = randomUUID();
    const client = await anotherSession(database.url);
    // As for a disk without moving parts. It makes indexes cheap, also to read a whole table by them.
    await client.query('set random_page_cost = 1.1');
    const rowsRead = async () => {
      const { rows } = await client.query<{ rows: number }>(
        'select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables',
      );
      return rows[0]?.rows ?? Number.NaN;
    };
    const line = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 450, currency: 'EUR' } };
    const read: number[] = [];
    for (let batch = 0; batch < 30; batch += 1) {
      await client.query('begin');
      const { domain } = await database.current.joinTransaction(client);
      const customers = Array.from({ length: 100 }, () => ({ id: randomUUID(), email: `${randomUUID()}@example.com` }));
      (await domain.importCustomers(owner, customers))._unsafeUnwrap();
      const before = await rowsRead();
      const news = customers.map(({ id }) => ({ customer_id: id, items: [line] }));
      const keyed = news.map((order) => ({ idempotencyKey: randomUUID(), order }));
      const imported = news.map((order) => ({ ...order, id: randomUUID(), version: 2 }));
      const placed = (await domain.placeOrders(owner, keyed))._unsafeUnwrap();
      const taken = (await domain.importOrders(owner, imported))._unsafeUnwrap();
      expect([...placed, ...taken].filter((each) => each.isErr())).toEqual([]);
      read.push((await rowsRead()) - before);
      await client.query('commit');
    }
    expect(Math.max(...read)).toBeLessThan(1000);
  });

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
    expect((await orders.commitAll?.(owner, together, false))?._unsafeUnwrap()).toEqual([ok(null), ok(null)]);
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

  it('are those without a used key, or the id of another or a deleted order', async () => {
    const owner = randomUUID();
    const orders = postgresOrderRepository(database.current);
    const creation = (after: Order, key?: Idempotency) => {
      return { kind: 'create' as const, after, event: anEventOf(owner, after), key };
    };
    const [kept, deleted, used] = [anOrder(), anOrder(), lastingKey('used')];
    for (const write of [creation(kept, used), creation(deleted)]) (await orders.commit(owner, write))._unsafeUnwrap();
    const event = anEventOf(owner, deleted, { type: 'order.deleted' });
    const before = (await orders.load(owner, deleted.id))._unsafeUnwrap() ?? { aggregate: deleted };
    (await orders.commit(owner, { kind: 'delete', before, event, key: undefined }))._unsafeUnwrap();
    const conflicting = [
      creation(anOrder(), used),
      creation(anOrder({ id: kept.id })),
      creation(anOrder({ id: deleted.id, version: 4 })),
    ];
    const open = creation(anOrder());
    const outcomes = (await orders.commitAll?.(owner, [...conflicting, open], false))?._unsafeUnwrap() ?? [];
    const types = outcomes.map(
      (each) =>
        each &&
        each.match(
          () => 'stored',
          ({ type }) => type,
        ),
    );
    expect(types).toEqual(['key_used', 'id_taken', 'id_taken', 'stored']);
    const ids = `select id from orders where owner_id = '${owner}' order by id`;
    expect(await execute(database.url, ids)).toEqual([kept.id, open.after.id].toSorted().map((id) => ({ id })));
    const [first, second] = [lastingKey('first'), lastingKey('second')];
    const keyed = [creation(anOrder(), second), creation(anOrder(), first)];
    expect((await orders.commitAll?.(owner, keyed, false))?._unsafeUnwrap()).toEqual([ok(null), ok(null)]);
    const recorded = (await orders.findRecorded(owner, first))._unsafeUnwrap();
    expect(recorded).toEqual({ sameCommand: true, id: keyed[1]?.after.id, aggregate: keyed[1]?.after });
  });

  it('are the first of those that conflict with each other', async () => {
    const owner = randomUUID();
    const customers = postgresCustomerRepository(database.current);
    const creates = ['ada@example.com', 'ADA@example.com'].map((email) => {
      const after = aCustomer({ email });
      return { kind: 'create' as const, after, event: anEventOfCustomer(owner, after), key: undefined };
    });
    const id = creates[0]?.after.id;
    const reason = { type: 'email_taken', customer_id: id };
    expect((await customers.commitAll?.(owner, creates, false))?._unsafeUnwrap()).toEqual([
      ok(null),
      err({ type: 'refused', reason }),
    ]);
    expect(await execute(database.url, `select id from customers where owner_id = '${owner}'`)).toEqual([{ id }]);
  });

  it('may have an erased customer without personal data, beside one that conflicts', async () => {
    const owner = randomUUID();
    const domain = createDomain(postgresStore(database.current));
    const { customer } = (await domain.createCustomer(owner, { email: 'ada@example.com' }))._unsafeUnwrap();
    (await domain.eraseCustomer(owner, customer.id))._unsafeUnwrap();
    const items = [{ sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 450, currency: 'EUR' } }];
    const order = { reference: 'PO-1', items };
    const imports = [
      { ...order, customer_id: customer.id },
      order,
      { ...order, reference: 'PO-2', customer_id: randomUUID() },
    ];
    const results = (await domain.importOrders(owner, imports))._unsafeUnwrap();
    const types = results.map((each) =>
      each.match(
        () => 'stored',
        ({ type }) => type,
      ),
    );
    expect(types).toEqual(['stored', 'reference_taken', 'validation_failed']);
  });

  it('take as many statements for many that conflict as for one', async () => {
    const owner = randomUUID();
    const line = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 450, currency: 'EUR' } };
    const numbers = Array.from({ length: 100 }, (_, at) => at);
    const referred = numbers.map((at) => ({ reference: `PO-${at}`, items: [line] }));
    const keyed = referred.map((order, at) => ({ idempotencyKey: `key ${at}`.replace(' ', '-'), order }));
    const imports = numbers.map((at) => ({ id: randomUUID(), reference: `I-${at}`, items: [line] }));
    const unknown = { customer_id: randomUUID(), items: [line] };
    await sent(database.url, async (server) => {
      const domain = createDomain(postgresStore(server));
      await domain.placeOrders(owner, keyed);
      await domain.importOrders(owner, imports);
    });
    const again = (prefix: string, order: (at: number) => object) =>
      numbers.map((at) => ({ idempotencyKey: `${prefix}-${at}`, order: { items: [line], ...order(at) } }));
    const batches: readonly (readonly [
      string,
      number,
      (domain: Domain) => ResultAsync<readonly Result<unknown, unknown>[], never>,
    ])[] = [
      ['replays', 100, (domain) => domain.placeOrders(owner, keyed)],
      [
        'taken references',
        0,
        (domain) =>
          domain.placeOrders(
            owner,
            again('taken', (at) => ({ reference: `PO-${at}` })),
          ),
      ],
      [
        'unknown customers',
        0,
        (domain) =>
          domain.placeOrders(
            owner,
            again('unknown', () => unknown),
          ),
      ],
      [
        'one conflict',
        99,
        (domain) =>
          domain.placeOrders(
            owner,
            again('one', (at) => (at === 50 ? unknown : {})),
          ),
      ],
      [
        'one reference',
        1,
        (domain) =>
          domain.placeOrders(
            owner,
            again('same', () => ({ reference: 'SAME' })),
          ),
      ],
      ['repeated imports', 100, (domain) => domain.importOrders(owner, imports)],
    ];
    for (const [name, successes, write] of batches) {
      const statements = await sent(database.url, async (server) => {
        const results = (await write(createDomain(postgresStore(server))))._unsafeUnwrap();
        expect([name, results.filter((each) => each.isOk()).length]).toEqual([name, successes]);
      });
      expect([name, statements.length]).toEqual([name, Math.min(statements.length, 8)]);
    }
  });
});
