import type {
  OrderDecision,
  OrderDefinition,
  OrderEvent,
  OrderNotFound,
  OrderRepository,
  OrderWritten,
  Owner,
  ReferenceTaken,
  UnknownCustomer,
} from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import type { AggregateTypes } from '../writes/aggregate-kind.ts';
import { aggregateWrites } from '../writes/aggregate-writes.ts';
import type { DatabaseParts, RepositoryConnections } from '../database-parts.ts';
import type { OrdersDatabase } from '../database.ts';
import type { Orm } from '../orm.ts';
import { nextPosition, pageValues } from '../shared/keyset-page.ts';
import { type ConstraintFault, toResultAsync } from '../shared/postgres-errors.ts';
import { orderListStatements } from './order-list-statements.ts';
import {
  type AnyOrder,
  fixedOrderMembers,
  type OrderRow,
  orderRows,
  toOrderSnapshot,
  withLowerIds,
} from './order-row.ts';
import { shapeOf } from './order-shape.ts';
import { restoreOrderOf } from './order-snapshot.ts';
import { orderStatements, type RecordedOrder } from './order-statements.ts';
import { orderVersionStatements } from './order-version-statements.ts';
import { orderVersions } from './order-versions.ts';

interface OrderTypes extends AggregateTypes {
  readonly aggregate: AnyOrder;
  readonly event: OrderEvent<OrderDefinition>;
  readonly decision: Pick<OrderDecision<OrderDefinition>, 'order'>;
  readonly written: OrderWritten<OrderDefinition>;
  readonly row: OrderRow;
  readonly recorded: RecordedOrder;
  readonly notFound: OrderNotFound;
  readonly noRoom: never;
  readonly conflict: ReferenceTaken | UnknownCustomer;
  readonly deletionConflict: never;
  readonly erased: OrderNotFound;
}

/**
 * Returns the repository of orders in PostgreSQL, of the definition of its database. A read is one statement, a create one,
 * a change or deletion two.
 */
export function postgresOrderRepository<D extends OrderDefinition>(database: OrdersDatabase<D>): OrderRepository<D> {
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
): OrderRepository<D>;
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
  const { primary, readAnywhere } = connections;
  const rows = orderRows(definition, unknownOrders);
  const restore = restoreOrderOf(definition);

  const conflict = async (
    owner: Owner,
    { customer_id, reference }: AnyOrder,
    { constraint }: ConstraintFault,
  ): Promise<ReferenceTaken | UnknownCustomer | 'retry'> => {
    if (constraint === 'orders_customer_foreign') return { type: 'unknown_customer' };
    if (constraint !== 'orders_reference_unique') return 'retry';
    // PostgreSQL checks foreign keys last, but an unknown customer takes precedence over a taken reference.
    if (customer_id !== null) {
      const [customer] = await statements.customer(primary, { order: { owner_id: owner, customer_id } });
      if (!customer) return { type: 'unknown_customer' };
    }
    const [holder] = await statements.holderOfReference(primary, { order: { owner_id: owner, reference } });
    return holder ? { type: 'reference_taken', order_id: holder.id } : 'retry';
  };

  const notFound = (id: string): OrderNotFound => ({ type: 'order_not_found', id });

  const writes = aggregateWrites<OrderTypes>(connections, {
    name: 'order',
    load: statements.find,
    lock: statements.lock,
    write: statements.write,
    keys: statements.keys,
    aggregateOf: ({ order }) => order,
    toAggregate: rows.toOrder,
    toRow: rows.toUpdate,
    toNewRow: rows.toInsert,
    toSnapshot: toOrderSnapshot,
    restore: (snapshot, { items }) => restore(snapshot, items),
    withLowerIds,
    fixed: fixedOrderMembers,
    written: (order, event, replayed) => ({ order, event, replayed }),
    notFound,
    conflict,
    deletionConflict: () => 'retry',
    erased: notFound,
  });

  return {
    definition,
    ...writes,
    ...orderVersions(statements, primary, restore),

    insert: (owner, placed, idempotency) =>
      writes.insert(owner, placed, idempotency).mapErr((error) => {
        if (error.type !== 'order_not_found') return error;
        // The purge keeps a version as long as its own key lives.
        throw new Error(`the recorded version of order ${error.id} is missing`);
      }),

    find: (owner, id) => {
      const find = async (): Promise<Result<AnyOrder, OrderNotFound>> => {
        const [row] = await statements.find(primary, { target: { owner_id: owner, id } });
        return row ? ok(rows.toOrder(row, owner)) : err(notFound(id));
      };
      return toResultAsync(find());
    },

    list: (owner, query) => {
      const list = async () => {
        const values = { query: { ...query, ...pageValues(owner, query) } };
        const found = await readAnywhere((executor) => statements.list(query)(executor, values));
        const data = found.map((row) => rows.toOrder(row, owner));
        return ok({ data, next: nextPosition(query, data, found.at(-1)?.more ?? false) });
      };
      return toResultAsync(list());
    },
  };
}
