import { createDomain, type Domain } from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { connect, type DatabaseOptions, disconnectInTime } from './connect.ts';
import type { RepositoryConnections } from './connected.ts';
import { customerRepository } from './customers/customer-repository.ts';
import { customerStatements } from './customers/customer-statements.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { migrationsOf } from './migration/functions-migration.ts';
import { schemaStatus } from './migration/schema-status.ts';
import { orderRepository, orderRepositoryStatements } from './orders/order-repository.ts';
import type { Orm } from './orm.ts';
import { sessionLimits, UNLIMITED } from './shared/session-client.ts';
import { joinTransaction } from './transaction/joined-transaction.ts';
import { runTransaction } from './transaction/own-transaction.ts';

/** Pool size for work without time limits. Its owner's share is two connections, which it uses at the same time. */
const UNLIMITED_POOL_MAX = 4;

/** True during recovery, and when the server, database or role defaults to read-only transactions. */
const READ_ONLY = {
  name: '',
  text: `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`,
};

function repositoryStatements(orm: Orm) {
  return { orders: orderRepositoryStatements(orm), customers: customerStatements(orm) };
}

/** Opens a database. No connection is made before the first statement. */
export function openDatabase<Em = unknown>(options: DatabaseOptions<Em>): Database<Em> {
  const { clock = systemClock, ids = uuidv7Ids(), idempotencyTtlMs } = options;
  const connected = connect(options, sessionLimits(options));
  const { orm, primary, writeListeners } = connected;
  const withoutTimeLimits: Database['withoutTimeLimits'] = async (work) => {
    const own = connect({ ...options, replicaUrls: [], poolMax: UNLIMITED_POOL_MAX }, UNLIMITED, true);
    try {
      return await work(own);
    } finally {
      await disconnectInTime(own);
    }
  };
  let statements: ReturnType<typeof repositoryStatements> | undefined;
  const bindDomain = (connections: RepositoryConnections): Domain => {
    statements ??= repositoryStatements(orm);
    const orders = orderRepository(statements.orders, connections);
    const customers = customerRepository(statements.customers, connections);
    return createDomain({ orders, customers, clock, ids, idempotencyTtlMs });
  };
  const status = () => schemaStatus(primary, migrationsOf(orm));
  return {
    ...connected,
    withoutTimeLimits,
    transaction: (work, transactionOptions) =>
      runTransaction({ primary, writeListeners, bindDomain, em: options.orm?.em }, work, transactionOptions),
    joinTransaction: (host) => joinTransaction(host, { bindDomain, named: options.preparedStatements ?? true }),
    migrate: (migrateOptions) => withoutTimeLimits((own) => migrate(own, migrateOptions)),
    schemaStatus: status,
    pendingMigrations: async () => (await status()).pending,
    ping: () => primary.run('select 1'),
    isWritable: async () => {
      const [row] = await primary.execute<{ read_only: boolean }>(READ_ONLY, []);
      if (row?.read_only === false) return true;
      primary.renew();
      return false;
    },
    close: async () => {
      for (const listener of writeListeners) listener.closed?.();
      await disconnectInTime(connected);
    },
  };
}
