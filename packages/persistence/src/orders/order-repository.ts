import {
  type AnyOrder,
  type ConflictChecks,
  type CustomerErased,
  type DomainEvent,
  isRefusedAsErased,
  newCustomerOf,
  type OrderDefinition,
  type OrderRepository,
  type Owner,
  type ReferenceTaken,
  type UnknownCustomer,
} from '@orders/domain';
import type { StoredWrite } from '../writes/aggregate-kind.ts';
import { aggregateStore } from '../writes/aggregate-store.ts';
import type { FoundConflict } from '../writes/write-functions.ts';
import type { OpenedPools } from '../database/opened-pools.ts';
import type { RepositoryConnections } from '../postgres/repository-connections.ts';
import type { OrdersDatabase } from '../database/database.ts';
import type { Orm } from '../tables/orm.ts';
import { outsideTransactions } from '../postgres/open-transactions.ts';
import { pageReader } from '../sql/read-page.ts';
import { readTimestampOrNull } from '../tables/timestamp-type.ts';
import { commentsOfOrders, commentStatements } from './order-comments.ts';
import { erasuresOfOrders, erasureStatements } from './order-erasures.ts';
import { orderListStatements } from './order-list-statements.ts';
import { orderRows } from './order-row.ts';
import { shapeOf } from './order-shape.ts';
import { restoreOrderOf, toOrderSnapshot } from './order-snapshot.ts';
import { orderStatements, type RecordedOrder } from './order-statements.ts';
import { orderVersionStatements } from './order-version-statements.ts';
import { orderVersions } from './order-versions.ts';

/**
 * Returns the repository of orders in PostgreSQL, of the definition of its database. A read is one statement, a create one,
 * a change or deletion two.
 */
export function postgresOrderRepository<D extends OrderDefinition>(
  database: OrdersDatabase<D>,
): OrderRepository<D> & { readonly definition: D } {
  const statements = orderRepositoryStatements(database.orm, database.definition);
  return orderRepository(statements, outsideTransactions(database), database);
}

/**
 * Returns the statements of the repository, each built once.
 *
 * @internal
 */
export function orderRepositoryStatements(orm: Orm, definition: OrderDefinition) {
  const shape = shapeOf(definition);
  return {
    ...orderStatements(orm, shape),
    list: orderListStatements(orm, shape),
    versions: orderVersionStatements(orm, shape),
    erasures: erasureStatements(orm),
    comments: commentStatements(orm),
  };
}

/** @internal */
type Statements = ReturnType<typeof orderRepositoryStatements>;

/**
 * Returns the repository of orders over these connections.
 *
 * @internal
 */
export function orderRepository<D extends OrderDefinition>(
  statements: Statements,
  connections: RepositoryConnections,
  definedBy: Pick<OpenedPools, 'unknownOrders' | 'reportLeftOut'> & { readonly definition: D },
): OrderRepository<D> & { readonly definition: D };
export function orderRepository(
  statements: Statements,
  connections: RepositoryConnections,
  { definition, unknownOrders, reportLeftOut }: Pick<OpenedPools, 'definition' | 'unknownOrders' | 'reportLeftOut'>,
): unknown {
  const { primary } = connections;
  const rows = orderRows(definition, unknownOrders, reportLeftOut);
  const listAnywhere = pageReader(connections, statements.list, rows.toOrder);
  // Its client may have just written the order that it looks for.
  const listFound = pageReader({ readAnywhere: (read) => read(primary) }, statements.list, rows.toOrder);
  const restore = restoreOrderOf(definition);

  return {
    definition,

    ...aggregateStore(connections, {
      statements,
      toAggregate: rows.toOrder,
      toColumns: rows.toColumns,
      toSnapshot: toOrderSnapshot,
      restore: (snapshot, { parts }: RecordedOrder) => restore(snapshot, parts),
      rulesOf,
    }),

    ...orderVersions(statements.versions, primary, restore),
    ...erasuresOfOrders(statements.erasures, primary),
    ...commentsOfOrders(statements.comments, primary),

    list: (owner, query) => (query.lookup === null ? listAnywhere : listFound)(owner, query),
  } satisfies OrderRepository<OrderDefinition>;
}

type Refused = ReferenceTaken | UnknownCustomer | CustomerErased;

/** The rules about the customer and the other orders of an owner. */
function rulesOf(
  _: Owner,
  write: StoredWrite<AnyOrder, DomainEvent<string>>,
  { holder, referred: customer }: FoundConflict,
): ConflictChecks<Refused | null> {
  if (write.kind === 'delete') return {};
  const { id, customer_id } = write.after;
  const added = newCustomerOf(write);
  const erasedAt = readTimestampOrNull(customer?.erased_at ?? null);
  return {
    unknown_customer: () => (customer_id === null || customer ? null : { type: 'unknown_customer' }),
    customer_erased: () => (added && isRefusedAsErased(added, erasedAt) ? { type: 'customer_erased' } : null),
    reference_taken: () => (holder === null || holder === id ? null : { type: 'reference_taken', order_id: holder }),
  };
}
