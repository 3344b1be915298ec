import type {
  Order,
  OrderDecision,
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
import type { RepositoryConnections } from '../connected.ts';
import type { Database } from '../database.ts';
import type { Orm } from '../orm.ts';
import { nextPosition, pageValues } from '../shared/keyset-page.ts';
import { type ConstraintFault, toResultAsync } from '../shared/postgres-errors.ts';
import { orderListStatements } from './order-list-statements.ts';
import {
  fixedOrderMembers,
  newOrderValues,
  type OrderRow,
  orderValues,
  restoreOrder,
  toOrder,
  toOrderSnapshot,
  withLowerIds,
} from './order-row.ts';
import { orderStatements, type RecordedOrder } from './order-statements.ts';
import { orderVersionStatements } from './order-version-statements.ts';
import { orderVersions } from './order-versions.ts';

interface OrderTypes extends AggregateTypes {
  readonly aggregate: Order;
  readonly event: OrderEvent;
  readonly decision: Pick<OrderDecision, 'order'>;
  readonly written: OrderWritten;
  readonly row: OrderRow;
  readonly recorded: RecordedOrder;
  readonly notFound: OrderNotFound;
  readonly noRoom: never;
  readonly conflict: ReferenceTaken | UnknownCustomer;
  readonly deletionConflict: never;
  readonly erased: OrderNotFound;
}

/** Returns the repository of orders in PostgreSQL. A read is one statement, a create one, a change or deletion two. */
export function postgresOrderRepository(database: Database): OrderRepository {
  return orderRepository(orderRepositoryStatements(database.orm), database);
}

/**
 * Returns the statements of the repository, each built once.
 *
 * @internal
 */
export function orderRepositoryStatements(orm: Orm) {
  return { ...orderStatements(orm), list: orderListStatements(orm), versions: orderVersionStatements(orm) };
}

/** @internal */
type Statements = ReturnType<typeof orderRepositoryStatements>;

/**
 * Returns the repository of orders over these connections.
 *
 * @internal
 */
export function orderRepository(statements: Statements, connections: RepositoryConnections): OrderRepository {
  const { primary, readAnywhere } = connections;

  const conflict = async (
    owner: Owner,
    { customer_id, reference }: Order,
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
    toAggregate: toOrder,
    toRow: orderValues,
    toNewRow: newOrderValues,
    toSnapshot: toOrderSnapshot,
    restore: (snapshot, { items }) => restoreOrder(snapshot, items),
    withLowerIds,
    fixed: fixedOrderMembers,
    written: (order, event, replayed) => ({ order, event, replayed }),
    notFound,
    conflict,
    deletionConflict: () => 'retry',
    erased: notFound,
  });

  return {
    ...writes,
    ...orderVersions(statements, primary),

    insert: (owner, placed, idempotency) =>
      writes.insert(owner, placed, idempotency).mapErr((error) => {
        if (error.type !== 'order_not_found') return error;
        // The purge keeps a version as long as its own key lives.
        throw new Error(`the recorded version of order ${error.id} is missing`);
      }),

    find: (owner, id) => {
      const find = async (): Promise<Result<Order, OrderNotFound>> => {
        const [row] = await statements.find(primary, { target: { owner_id: owner, id } });
        return row ? ok(toOrder(row)) : err(notFound(id));
      };
      return toResultAsync(find());
    },

    list: (owner, query) => {
      const list = async () => {
        const values = { query: { ...query, ...pageValues(owner, query) } };
        const rows = await readAnywhere((executor) => statements.list(query)(executor, values));
        const data = rows.map((row) => toOrder(row));
        return ok({ data, next: nextPosition(query, data, rows.at(-1)?.more ?? false) });
      };
      return toResultAsync(list());
    },
  };
}
