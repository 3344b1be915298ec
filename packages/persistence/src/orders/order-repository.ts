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
import { type AggregateTypes, aggregateWrites } from '../writes/aggregate-writes.ts';
import type { Nullable } from '../writes/load-statement.ts';
import { recordedAggregate } from '../once/once-record.ts';
import type { Database } from '../database.ts';
import { nextPosition, pageValues } from '../shared/keyset-page.ts';
import { type ConstraintFault, orUnavailable } from '../shared/postgres-errors.ts';
import { orderListStatements } from './order-list-statements.ts';
import { fixedOrderMembers, itemsValue, type OrderRow, orderValues, toOrder, withLowerIds } from './order-row.ts';
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

/** Orders in PostgreSQL: reads in one statement, a create in one, a change or deletion in two. */
export function postgresOrderRepository(database: Database): OrderRepository {
  const { orm, primary, readAnywhere } = database;
  const statements = orderStatements(orm);
  const listStatement = orderListStatements(orm);

  const conflict = async (
    owner: Owner,
    { customer_id, reference }: Order,
    { constraint }: ConstraintFault,
  ): Promise<ReferenceTaken | UnknownCustomer | 'again'> => {
    if (constraint === 'orders_customer_foreign') return { type: 'unknown_customer' };
    if (constraint !== 'orders_reference_unique') return 'again';
    // PostgreSQL looks at foreign keys last, but an unknown customer is to be told of first.
    if (customer_id !== null) {
      const [customer] = await statements.customer(primary, { order: { owner_id: owner, customer_id } });
      if (!customer) return { type: 'unknown_customer' };
    }
    const [holder] = await statements.holderOfReference(primary, { order: { owner_id: owner, reference } });
    return holder ? { type: 'reference_taken', order_id: holder.id } : 'again';
  };

  const writes = aggregateWrites<OrderTypes>(database, {
    statements: statements.writes,
    load: statements.load,
    aggregateOf: ({ order }) => order,
    toAggregate: (row) => (isOrderRow(row) ? toOrder(row) : undefined),
    toRow: orderValues,
    withLowerIds,
    fixed: fixedOrderMembers,
    beside: itemsValue,
    written: (order, event, replayed) => ({ order, event, replayed }),
    notFound: (id) => ({ type: 'order_not_found', id }),
    conflict,
    deletionConflict: () => 'again',
    recorded: (recorded) => {
      const order = recordedAggregate(recorded, isOrder);
      // A deletion's record belongs to a deletion's fingerprint, which no other write has.
      if (!order) throw new Error(`the record of order ${recorded.id} holds no order`);
      // A detail that joined orders since then was null then; those that were there stay in their places.
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
      return orUnavailable(find());
    },

    list: (owner, query) => {
      const list = async () => {
        const values = { query: { ...query, ...pageValues(owner, query) } };
        const rows = await readAnywhere((executor) => listStatement(query)(executor, values));
        const data = rows.map((row) => toOrder(row));
        return ok({ data, next: nextPosition(query, data, rows.at(-1)?.more ?? false) });
      };
      return orUnavailable(list());
    },
  };
}

function isOrderRow(row: Nullable<OrderRow>): row is OrderRow {
  return row.id !== null && row.items !== null;
}

function isOrder(aggregate: object): aggregate is Order {
  return 'items' in aggregate;
}
