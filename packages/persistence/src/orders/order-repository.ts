import {
  type CustomerErased,
  newCustomerOf,
  type OrderDefinition,
  type OrderRepository,
  type Owner,
  type ReferenceTaken,
  type UnknownCustomer,
} from '@orders/domain';
import { aggregateStore } from '../writes/aggregate-store.ts';
import type { DatabaseParts, RepositoryConnections } from '../database-parts.ts';
import type { OrdersDatabase } from '../database.ts';
import type { Orm } from '../tables/orm.ts';
import { pageReader } from '../sql/read-page.ts';
import { ORDERS_CUSTOMER_ERASED } from '../writes/write-functions.ts';
import { assignedOrders, assignedOrderStatements } from './assigned-orders.ts';
import { orderListStatements } from './order-list-statements.ts';
import type { AnyOrder } from './order-parts.ts';
import { orderRows } from './order-row.ts';
import { shapeOf } from './order-shape.ts';
import { restoreOrderOf, toOrderSnapshot } from './order-snapshot.ts';
import { orderStatements, type RecordedOrder } from './order-statements.ts';
import { orderVersionStatements } from './order-version-statements.ts';
import { orderVersions } from './order-versions.ts';

/**
 * Returns the repository of orders in PostgreSQL, of the definition of its database. A read is one statement, a create one,
 * a change or deletion two, or one if this process created the order in the last ten seconds.
 */
export function postgresOrderRepository<D extends OrderDefinition>(
  database: OrdersDatabase<D>,
): OrderRepository<D> & { readonly definition: D } {
  return orderRepository(orderRepositoryStatements(database.orm, database.definition), database, database);
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
    assigned: assignedOrderStatements(orm),
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
  definedBy: Pick<DatabaseParts, 'unknownOrders'> & { readonly definition: D },
): OrderRepository<D> & { readonly definition: D };
export function orderRepository(
  statements: Statements,
  connections: RepositoryConnections,
  definedBy: Pick<DatabaseParts, 'definition' | 'unknownOrders'>,
): unknown {
  return anyOrderRepository(statements, connections, definedBy);
}

function anyOrderRepository(
  statements: Statements,
  connections: RepositoryConnections,
  { definition, unknownOrders }: Pick<DatabaseParts, 'definition' | 'unknownOrders'>,
): OrderRepository<OrderDefinition> {
  const { primary } = connections;
  const rows = orderRows(definition, unknownOrders);
  const restore = restoreOrderOf(definition);

  const findRefusal = async (
    owner: Owner,
    after: AnyOrder | null,
    constraint: string,
  ): Promise<ReferenceTaken | UnknownCustomer | CustomerErased | 'gone'> => {
    if (constraint === 'orders_customer_foreign') return { type: 'unknown_customer' };
    if (constraint === ORDERS_CUSTOMER_ERASED) return { type: 'customer_erased' };
    if (constraint !== 'orders_reference_unique' || after === null) return 'gone';
    const { customer_id, reference } = after;
    // PostgreSQL checks foreign keys last, but an unknown customer takes precedence over a taken reference.
    if (customer_id !== null) {
      const [customer] = await statements.customer(primary, { order: { owner_id: owner, customer_id } });
      if (!customer) return { type: 'unknown_customer' };
    }
    const [holder] = await statements.holderOfReference(primary, { order: { owner_id: owner, reference } });
    return holder ? { type: 'reference_taken', order_id: holder.id } : 'gone';
  };

  return {
    definition,

    ...aggregateStore(connections, {
      statements,
      toAggregate: rows.toOrder,
      toColumns: rows.toColumns,
      toGuard: (write) => ({ new_customer_id: newCustomerOf(write) }),
      toSnapshot: toOrderSnapshot,
      restore: (snapshot, { parts }: RecordedOrder) => restore(snapshot, parts),
      findRefusal,
    }),

    ...orderVersions(statements.versions, primary, restore),
    ...assignedOrders(statements.assigned, primary),

    list: pageReader(connections, statements.list, rows.toOrder),
  };
}
