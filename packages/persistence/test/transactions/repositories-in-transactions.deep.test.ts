import { createDomain } from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { customerRepositoryContract, orderRepositoryContract, type StoreSubject } from '@orders/domain/testing';
import { ok } from 'neverthrow';
import { Client } from 'pg';
import { describe, it, onTestFinished } from 'vitest';
import type { RepositoryConnections } from '../../src/connected.ts';
import { customerRepository } from '../../src/customers/customer-repository.ts';
import { customerStatements } from '../../src/customers/customer-statements.ts';
import { orderRepository, orderRepositoryStatements } from '../../src/orders/order-repository.ts';
import { joinTransaction } from '../../src/transaction/joined-transaction.ts';
import { runTransaction } from '../../src/transaction/own-transaction.ts';
import { type ChangeRow, toEvents } from '../recorded-events.ts';
import { testDatabase } from '../test-database.ts';
import { hostOrm } from './host-tables.ts';

const tested = testDatabase();

type Repositories = Pick<StoreSubject, 'orders' | 'customers'>;

let statements: ReturnType<typeof buildStatements> | undefined;
function buildStatements() {
  const { orm, definition } = tested.current;
  return { orders: orderRepositoryStatements(orm, definition), customers: customerStatements(orm) };
}

/** Returns the function that binds use cases, and the repositories that it has bound last. */
function binding() {
  const built = (statements ??= buildStatements());
  const bound: Repositories[] = [];
  const bindDomain = (connections: RepositoryConnections) => {
    const orders = orderRepository(built.orders, connections, tested.current);
    const customers = customerRepository(built.customers, connections);
    bound.push({ orders, customers });
    return createDomain({ orders, customers, clock: systemClock, ids: uuidv7Ids() });
  };
  const repositories = (): Repositories => {
    const last = bound.at(-1);
    if (!last) throw new Error('nothing was bound');
    return last;
  };
  return { bindDomain, repositories };
}

const EVENTS = 'select * from changes where owner_id = $1 order by occurred_at, version, event_id';

/** Runs `begin` until it passes a subject on, and lets it continue when the test has finished. */
async function untilFinished(begin: (pass: (subject: StoreSubject) => Promise<void>) => Promise<void>) {
  const finish = Promise.withResolvers<void>();
  const subject = Promise.withResolvers<StoreSubject>();
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
 * Runs the contracts of both repositories. All their promises apply inside a transaction, those on concurrent calls too:
 * there they are executed one after the other. Each test ends with a COMMIT, which succeeds only if the transaction has
 * stayed usable.
 */
function contracts(open: () => Promise<StoreSubject>): void {
  orderRepositoryContract({ describe, it }, open);
  customerRepositoryContract({ describe, it }, open);
}

describe('in database.transaction', () => {
  contracts(() =>
    untilFinished(async (pass) => {
      const { bindDomain, repositories } = binding();
      const { primary, writeListeners } = tested.current;
      const result = await runTransaction(
        { primary, writeListeners, bindDomain, em: undefined },
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
  contracts(() =>
    untilFinished(async (pass) => {
      const client = new Client({ connectionString: tested.url });
      await client.connect();
      await client.query('begin');
      const { bindDomain, repositories } = binding();
      await joinTransaction(client, { bindDomain, named: true });
      const events = async (owner: string) => toEvents((await client.query<ChangeRow>(EVENTS, [owner])).rows);
      await pass({ ...repositories(), events });
      const { command } = await client.query('commit');
      if (command !== 'COMMIT') throw new Error('the transaction had failed');
      await client.end();
    }),
  );
});

describe('in the transaction of an EntityManager', () => {
  contracts(() =>
    untilFinished(async (pass) => {
      await hostOrm(tested.url)
        .em.fork()
        .transactional(async (em) => {
          const { bindDomain, repositories } = binding();
          await joinTransaction(em, { bindDomain, named: true });
          const events = async (owner: string) =>
            toEvents(await em.execute<ChangeRow[]>(EVENTS.replace('$1', '?'), [owner]));
          await pass({ ...repositories(), events });
          // MikroORM does not report that the COMMIT of a failed transaction rolls it back.
          await em.execute('select 1');
        });
    }),
  );
});
