import type {
  KeyReused,
  Once,
  Order,
  OrderDecision,
  OrderDeleted,
  OrderEvent,
  OrderNotFound,
  OrderRepository,
  OrderWritten,
  Owner,
  ReferenceTaken,
  Unavailable,
  UnknownCustomer,
} from '@orders/domain';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { Database } from '../database.ts';
import { keyedWrites } from '../once/keyed-writes.ts';
import { type Recorded, recalled } from '../once/recorded.ts';
import { onceStatements } from '../once/once-statements.ts';
import { onceValues } from '../once/once-row.ts';
import { outboxValues } from '../outbox/outbox-row.ts';
import { type ConstraintFault, unavailable } from '../shared/postgres-errors.ts';
import type { Executor } from '../shared/statement.ts';
import { orderListStatements } from './order-list-statements.ts';
import { itemsValue, type OrderRow, orderValues, toOrder } from './order-row.ts';
import { type LoadedRow, orderStatements } from './order-statements.ts';

/** Orders in PostgreSQL: reads in one statement, a create in one, a change or deletion in two. */
export function postgresOrderRepository({ orm }: Database): OrderRepository {
  const pool = orm.em.getKysely();
  const statements = orderStatements(orm);
  const listStatement = orderListStatements(orm);
  const keys = onceStatements(orm);
  const { recall, write } = keyedWrites(orm);

  /** What a violated constraint says of `order`. */
  const refusalOf = async (
    owner: Owner,
    order: Order,
    fault: ConstraintFault,
  ): Promise<ReferenceTaken | UnknownCustomer | 'again'> => {
    if (fault.constraint === 'orders_customer_foreign') return { type: 'unknown_customer' };
    if (fault.constraint !== 'orders_reference_unique') return 'again';
    // PostgreSQL looks at foreign keys last, but an unknown customer is to be told of first.
    const { customer_id, reference } = order;
    if (customer_id !== null) {
      const [customer] = await statements.customer(pool, { order: { owner_id: owner, customer_id } });
      if (!customer) return { type: 'unknown_customer' };
    }
    const [holder] = await statements.holderOfReference(pool, {
      order: { owner_id: owner, reference },
    });
    return holder ? { type: 'reference_taken', order_id: holder.id } : 'again';
  };

  /**
   * Loads, decides and writes: at first without a lock, then, when another write came in between, with the row locked,
   * so that the second time cannot be lost.
   */
  const overwrite = async <T, E>(
    owner: Owner,
    id: string,
    once: Once | undefined,
    attempt: (executor: Executor, order: Order) => Promise<Result<T, E> | 'lost'>,
    replay: (recorded: Recorded) => T,
  ): Promise<Result<T, E | OrderNotFound | KeyReused> | 'again'> => {
    const go = async (executor: Executor): Promise<Result<T, E | OrderNotFound | KeyReused> | 'lost'> => {
      const [row] = await statements.load(executor, {
        order: { owner_id: owner, id },
        once: { key: once?.key ?? null },
      });
      if (!row) throw new Error('the statement that always answers with a row did not');
      if (once && row.once_expires_at !== null) {
        const earlier = recalled(once, recordOf(row));
        if (earlier.isErr()) return err(earlier.error);
        if (earlier.value) return ok(replay(earlier.value));
        await keys.forget(executor, { once: { owner_id: owner, key: once.key, now: once.now } });
      }
      if (!isOrderRow(row)) return err({ type: 'order_not_found', id });
      return await attempt(executor, toOrder(row));
    };
    const first = await go(pool);
    if (first !== 'lost') return first;
    const second = await orm.em.fork().transactional(async (em) => {
      const transaction = em.getKysely();
      await statements.lock(transaction, { order: { owner_id: owner, id } });
      return await go(transaction);
    });
    return second === 'lost' ? 'again' : second;
  };

  return {
    insert(owner, { order, event }, once) {
      const insert = async (): Promise<Result<OrderWritten, KeyReused> | 'again'> => {
        const values = {
          order: orderValues(owner, order),
          items: { json: itemsValue(order) },
          event: outboxValues(event),
        };
        const placed = once
          ? await statements.insertOnce(pool, { ...values, once: onceValues(once, order) })
          : await statements.insert(pool, values);
        if (placed.length === 1) return ok({ order, event, replayed: false });
        const earlier = await recall(owner, once);
        if (earlier.isErr()) return err(earlier.error);
        return earlier.value ? ok(replayOrder(earlier.value)) : 'again';
      };
      const refusal = (fault: ConstraintFault) => refusalOf(owner, order, fault);
      return write({ owner, once, attempt: insert, replay: replayOrder, refusal });
    },

    find(owner, id) {
      const find = async (): Promise<Result<Order, OrderNotFound>> => {
        const [row] = await statements.find(pool, { order: { owner_id: owner, id } });
        return row ? ok(toOrder(row)) : err({ type: 'order_not_found', id });
      };
      return answer(find());
    },

    list(owner, query) {
      const list = async () => {
        const rows = await listStatement(query)(pool, {
          query: {
            owner_id: owner,
            limit: query.limit,
            offset: query.offset,
            after_value: query.after?.value ?? null,
            after_id: query.after?.id ?? null,
            status: query.status,
            customer_id: query.customer_id,
            reference: query.reference,
          },
        });
        const data = rows.flatMap(({ items, ...row }) => (items ? [toOrder({ ...row, items })] : []));
        const last = data.at(-1);
        const value = query.sort.endsWith('created_at') ? last?.created_at : last?.updated_at;
        const next = last && value !== undefined && data.length < rows.length ? { value, id: last.id } : null;
        return ok({ data, next });
      };
      return answer(list());
    },

    update<E>(owner: Owner, id: string, change: (order: Order) => Result<OrderDecision, E>, once?: Once) {
      let wanted: Order | undefined;
      const attempt = async (executor: Executor, before: Order): Promise<Result<OrderWritten, E> | 'lost'> => {
        const decided = change(before);
        if (decided.isErr()) return err(decided.error);
        const { order, event } = decided.value;
        wanted = order;
        if (!event) {
          const nothing = { order: { owner_id: owner }, once: once && onceValues(once, order) };
          if (nothing.once) await keys.record(executor, { ...nothing, once: nothing.once });
          return ok({ order, event, replayed: false });
        }
        const values = {
          order: orderValues(owner, order),
          loaded: { owner_id: owner, id, loaded_version: before.version },
          event: outboxValues(event),
        };
        const changed = once
          ? await statements.updateOnce(executor, { ...values, once: onceValues(once, order) })
          : await statements.update(executor, values);
        return changed.length === 1 ? ok({ order, event, replayed: false }) : 'lost';
      };
      return write({
        owner,
        once,
        attempt: () => overwrite(owner, id, once, attempt, replayOrder),
        replay: replayOrder,
        refusal: (fault) => (wanted ? refusalOf(owner, wanted, fault) : Promise.resolve('again' as const)),
      });
    },

    delete<E>(owner: Owner, id: string, judge: (order: Order) => Result<OrderEvent, E>, once?: Once) {
      const attempt = async (executor: Executor, before: Order): Promise<Result<OrderDeleted, E> | 'lost'> => {
        const judged = judge(before);
        if (judged.isErr()) return err(judged.error);
        const event = judged.value;
        const values = {
          order: { owner_id: owner, id },
          loaded: { owner_id: owner, id, loaded_version: before.version },
          event: outboxValues(event),
        };
        const deleted = once
          ? await statements.deleteOnce(executor, { ...values, once: onceValues(once, null) })
          : await statements.delete(executor, values);
        return deleted.length === 1 ? ok({ event, replayed: false }) : 'lost';
      };
      const replay = (): OrderDeleted => ({ event: null, replayed: true });
      return write<OrderDeleted, E | OrderNotFound | KeyReused, never>({
        owner,
        once,
        attempt: () => overwrite(owner, id, once, attempt, replay),
        replay,
        refusal: () => Promise.resolve('again' as const),
      });
    },
  };
}

/** The answer of a read; a read violates no constraint. */
function answer<T, E>(read: Promise<Result<T, E>>): ResultAsync<T, E | Unavailable> {
  return new ResultAsync<T, E | Unavailable>(read.catch((thrown: unknown) => err(unavailable(thrown))));
}

function replayOrder({ order }: Recorded): OrderWritten {
  if (!order) throw new Error('a record without an order belongs to a deletion, whose fingerprint no other write has');
  return { order, event: null, replayed: true };
}

function recordOf({ once_fingerprint, once_snapshot, once_expires_at }: LoadedRow) {
  if (once_fingerprint === null || once_snapshot === null || once_expires_at === null) return undefined;
  return { fingerprint: once_fingerprint, snapshot: once_snapshot, expires_at: once_expires_at };
}

function isOrderRow(row: LoadedRow): row is LoadedRow & OrderRow {
  return row.id !== null && row.items !== null;
}
