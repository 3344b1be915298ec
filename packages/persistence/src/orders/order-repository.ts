import {
  NO_DETAILS,
  type Order,
  type OrderDecision,
  type OrderEvent,
  type OrderNotFound,
  type OrderRepository,
  type OrderWritten,
  type Owner,
  type ReferenceTaken,
  type UnknownCustomer,
} from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import type { AggregateTypes } from '../writes/aggregate-kind.ts';
import { aggregateWrites } from '../writes/aggregate-writes.ts';
import type { Nullable } from '../writes/load-statement.ts';
import { recordedAggregate } from '../idempotency/idempotency-record.ts';
import type { Database } from '../database.ts';
import { nextPosition, pageValues } from '../shared/keyset-page.ts';
import { type ConstraintFault, toResultAsync } from '../shared/postgres-errors.ts';
import { orderListStatements } from './order-list-statements.ts';
import { fixedOrderMembers, newOrderValues, type OrderRow, orderValues, toOrder, withLowerIds } from './order-row.ts';
import { orderStatements } from './order-statements.ts';

interface OrderTypes extends AggregateTypes {
  readonly aggregate: Order;
  readonly event: OrderEvent;
  readonly decision: Pick<OrderDecision, 'order'>;
  readonly written: OrderWritten;
  readonly row: OrderRow;
  readonly notFound: OrderNotFound;
  readonly conflict: ReferenceTaken | UnknownCustomer;
  readonly deletionConflict: never;
  readonly erased: never;
}

/** Returns the repository of orders in PostgreSQL. A read is one statement, a create one, a change or deletion two. */
export function postgresOrderRepository(database: Database): OrderRepository {
  const { orm, primary, readAnywhere } = database;
  const statements = orderStatements(orm);
  const listStatement = orderListStatements(orm);

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

  const writes = aggregateWrites<OrderTypes>(database, {
    statements: statements.writes,
    load: statements.load,
    aggregateOf: ({ order }) => order,
    toAggregate: (row) => (isOrderRow(row) ? toOrder(row) : undefined),
    toRow: orderValues,
    toNewRow: newOrderValues,
    withLowerIds,
    fixed: fixedOrderMembers,
    written: (order, event, replayed) => ({ order, event, replayed }),
    notFound: (id) => ({ type: 'order_not_found', id }),
    conflict,
    deletionConflict: () => 'retry',
    recorded: (recorded) => {
      const order = recordedAggregate(recorded, isOrder);
      // The record of a deletion has the fingerprint of a deletion, which no other write has.
      if (!order) throw new Error(`the idempotency record of order ${recorded.id} contains no order`);
      // A record of an earlier release lacks the details added since, which default to null. The members of the record
      // keep their order.
      return ok({ ...order, ...NO_DETAILS, ...order });
    },
  });

  return {
    ...writes,

    find: (owner, id) => {
      const find = async (): Promise<Result<Order, OrderNotFound>> => {
        const [row] = await statements.find(primary, { order: { owner_id: owner, id } });
        return row ? ok(toOrder(row)) : err({ type: 'order_not_found', id });
      };
      return toResultAsync(find());
    },

    list: (owner, query) => {
      const list = async () => {
        const values = { query: { ...query, ...pageValues(owner, query) } };
        const rows = await readAnywhere((executor) => listStatement(query)(executor, values));
        const data = rows.map((row) => toOrder(row));
        return ok({ data, next: nextPosition(query, data, rows.at(-1)?.more ?? false) });
      };
      return toResultAsync(list());
    },
  };
}

function isOrderRow(row: Nullable<OrderRow>): row is OrderRow {
  return row.id !== null;
}

function isOrder(aggregate: object): aggregate is Order {
  return 'items' in aggregate;
}
