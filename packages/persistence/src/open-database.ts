import { createDomain, type DefaultDefinition, type Domain, type OrderDefinition } from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import {
  openPools,
  type DatabaseOptions,
  type DatabaseSettings,
  type DefinitionOption,
  closePoolsInTime,
  type WithUrlPoolOrOrm,
} from './database/open-pools.ts';
import type { RepositoryConnections } from './postgres/repository-connections.ts';
import { customerRepository } from './customers/customer-repository.ts';
import { customerStatements } from './customers/customer-statements.ts';
import type { Database } from './database/database.ts';
import { adoptDefinition } from './definitions/adopt-definition.ts';
import { migrate } from './migration/migrate.ts';
import { migrationsOf } from './migration/functions-migration.ts';
import { schemaStatus } from './migration/schema-status.ts';
import { orderRepository, orderRepositoryStatements } from './orders/order-repository.ts';
import type { Orm } from './tables/orm.ts';
import { sessionLimits, TRANSACTION_TIMEOUT_MS, UNLIMITED } from './postgres/session-client.ts';
import { joinTransaction } from './transaction/joined-transaction.ts';
import { runTransaction } from './transaction/own-transaction.ts';

/** Pool size for work without time limits. Its owner's share is two connections, which it uses at the same time. */
const UNLIMITED_POOL_MAX = 4;

/** True during recovery, and when the server, database or role defaults to read-only transactions. */
const READ_ONLY = {
  text: `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`,
};

function repositoryStatements(orm: Orm, definition: OrderDefinition) {
  return { orders: orderRepositoryStatements(orm, definition), customers: customerStatements(orm) };
}

/** Opens a database. No connection is made before the first statement. */
export function openDatabase<D extends OrderDefinition = DefaultDefinition, Em = unknown>(
  options: WithUrlPoolOrOrm<Em> & DatabaseSettings<Em> & Partial<DefinitionOption<D>>,
): Database<Em, D>;
export function openDatabase<Em>(options: DatabaseOptions<Em> & Partial<DefinitionOption<OrderDefinition>>): unknown {
  return open(options);
}

/** Opens a database whose definition is known only when the program runs. */
function open<Em>(
  options: DatabaseOptions<Em> & Partial<DefinitionOption<OrderDefinition>>,
): Database<Em, OrderDefinition> {
  const { clock = systemClock, ids = uuidv7Ids(), idempotencyTtlMs } = options;
  const { transactionTimeoutMs: timeoutMs = TRANSACTION_TIMEOUT_MS } = options;
  const parts = openPools(options, sessionLimits(options));
  const { orm, primary, schema, definition, unknownOrders, writeListeners } = parts;
  const withoutTimeLimits: Database['withoutTimeLimits'] = async (work) => {
    const own = openPools({ ...options, replicaUrls: [], poolMax: UNLIMITED_POOL_MAX }, UNLIMITED, true);
    try {
      return await work(own);
    } finally {
      await closePoolsInTime(own);
    }
  };
  let statements: ReturnType<typeof repositoryStatements> | undefined;
  const bindDomain = (connections: RepositoryConnections): Domain<OrderDefinition> => {
    statements ??= repositoryStatements(orm, definition);
    const orders = orderRepository(statements.orders, connections, parts);
    const customers = customerRepository(statements.customers, connections);
    return createDomain({ orders, customers, clock, ids, idempotencyTtlMs });
  };
  const status = () => schemaStatus(parts, migrationsOf(orm));
  return {
    ...parts,
    withoutTimeLimits,
    transaction: (work, transactionOptions) =>
      runTransaction(
        { primary, schema, writeListeners, bindDomain, timeoutMs, em: options.orm?.em },
        work,
        transactionOptions,
      ),
    joinTransaction: (host) => joinTransaction(host, { bindDomain, schema, named: options.preparedStatements ?? true }),
    migrate: (migrateOptions) =>
      withoutTimeLimits(async (own) => {
        const applied = await migrate(own, migrateOptions);
        await adoptDefinition(own, migrateOptions);
        return applied;
      }),
    adoptDefinition: (adoptOptions) => withoutTimeLimits((own) => adoptDefinition(own, adoptOptions)),
    unknownOrder: () => unknownOrders.current(primary, orm),
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
      await closePoolsInTime(parts);
    },
  };
}
