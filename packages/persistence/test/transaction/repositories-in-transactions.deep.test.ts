import { createDomain, type OrderDefinition } from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { customerRepositoryContract, orderRepositoryContract, type StoreSubject } from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { ok } from 'neverthrow';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, inject, it, onTestFinished } from 'vitest';
import type { RepositoryConnections } from '../../src/postgres/repository-connections.ts';
import { customerRepository } from '../../src/customers/customer-repository.ts';
import { customerStatements } from '../../src/customers/customer-statements.ts';
import { orderRepository, orderRepositoryStatements } from '../../src/orders/order-repository.ts';
import { joinTransaction } from '../../src/transaction/joined-transaction.ts';
import { runTransaction } from '../../src/transaction/own-transaction.ts';
import { BAKERY } from '../definitions/bakery.ts';
import { type ChangeRow, toEvents } from '../fixtures/recorded-events.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { hostOrmAt } from './host-tables.ts';

const tested = testDatabase();

type Subject = StoreSubject<OrderDefinition>;
type Repositories = Pick<Subject, 'orders' | 'customers'>;

const EVENTS = 'select * from orders.changes where owner_id = $1 order by occurred_at, version, event_id';

/** Runs `begin` until it passes a subject on, and lets it continue when the test has finished. */
async function untilFinished(begin: (pass: (subject: Subject) => Promise<void>) => Promise<void>) {
  const finish = Promise.withResolvers<void>();
  const subject = Promise.withResolvers<Subject>();
  const ended = begin((passed) => {
    subject.resolve(passed);
    return finish.promise;
  });
  ended.catch(subject.reject);
  onTestFinished(async () => {
    finish.resolve();
    await ended;
  });
  return await subject.promise;
}

/**
 * The contracts of both repositories. All their promises apply inside a transaction, those on concurrent calls too: there
 * they are executed one after the other. Each test ends with a COMMIT, which succeeds only if the transaction has stayed
 * usable.
 */
describe('orders with custom data, and times without a column,', () => {
  const definition: OrderDefinition = BAKERY;
  let database: Database<unknown, OrderDefinition> | undefined;
  let statements: ReturnType<typeof buildStatements> | undefined;
  beforeAll(() => {
    database = openDatabase({ url: tested.url, definition, preparedStatements: inject('preparedStatements') });
  });
  afterAll(() => database?.close());

  function current() {
    if (!database) throw new Error('the database exists only while the tests run');
    return database;
  }

  function buildStatements() {
    const { orm } = current();
    return { orders: orderRepositoryStatements(orm, definition), customers: customerStatements(orm) };
  }

  /** Returns the function that binds use cases, and the repositories that it has bound last. */
  function binding() {
    const built = (statements ??= buildStatements());
    const bound: Repositories[] = [];
    const bindDomain = (connections: RepositoryConnections) => {
      const orders = orderRepository(built.orders, connections, current());
      const customers = customerRepository(built.customers, connections);
      bound.push({ orders, customers });
      return createDomain({ orders, customers, clock: systemClock, ids: uuidv7Ids() }, definition);
    };
    const repositories = (): Repositories => {
      const last = bound.at(-1);
      if (!last) throw new Error('nothing was bound');
      return last;
    };
    return { bindDomain, repositories };
  }

  function contracts(open: () => Promise<Subject>): void {
    orderRepositoryContract<OrderDefinition>({ describe, it }, open, definition);
    customerRepositoryContract<OrderDefinition>({ describe, it }, open, definition);
  }

  describe('in database.transaction', () => {
    contracts(() =>
      untilFinished(async (pass) => {
        const { bindDomain, repositories } = binding();
        const { primary, schema, writeListeners } = current();
        const result = await runTransaction(
          { primary, schema, writeListeners, bindDomain, em: undefined, timeoutMs: 30_000 },
          async ({ client }) => {
            const events = async (owner: string) => toEvents((await client.query<ChangeRow>(EVENTS, [owner])).rows);
            await pass({ ...repositories(), events });
            return ok('committed');
          },
        );
        result._unsafeUnwrap();
      }),
    );
  });

  describe('in the transaction of a client of pg', () => {
    const pool = new Pool({ connectionString: tested.url });
    afterAll(() => pool.end());

    contracts(() =>
      untilFinished(async (pass) => {
        const client = await pool.connect();
        await client.query('begin');
        const { bindDomain, repositories } = binding();
        await joinTransaction(client, { bindDomain, schema: current().schema, named: true });
        const events = async (owner: string) => toEvents((await client.query<ChangeRow>(EVENTS, [owner])).rows);
        await pass({ ...repositories(), events });
        const { command } = await client.query('commit');
        if (command !== 'COMMIT') throw new Error('the transaction had failed');
        client.release();
      }),
    );
  });

  describe('in the transaction of an EntityManager', () => {
    const orm = hostOrmAt(tested.url);
    afterAll(() => orm.close());

    contracts(() =>
      untilFinished(async (pass) => {
        await orm.em.fork().transactional(async (em) => {
          const { bindDomain, repositories } = binding();
          await joinTransaction(em, { bindDomain, schema: current().schema, named: true });
          const events = async (owner: string) =>
            toEvents(await em.execute<ChangeRow[]>(EVENTS.replace('$1', '?'), [owner]));
          await pass({ ...repositories(), events });
          // MikroORM does not report that the COMMIT of a failed transaction rolls it back.
          await em.execute('select 1');
        });
      }),
    );
  });
});
