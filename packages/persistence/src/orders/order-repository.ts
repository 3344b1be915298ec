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
import { type Recorded, recalled } from '../once/recorded.ts';
import { onceStatements } from '../once/once-statements.ts';
import { onceValues } from '../once/once-row.ts';
import { outboxValues } from '../outbox/outbox-row.ts';
import { classify, type PostgresFault, unavailable } from '../shared/postgres-errors.ts';
import type { Executor } from '../shared/statement.ts';
import { orderListStatements } from './order-list-statements.ts';
import { itemsValue, type OrderRow, orderValues, toOrder } from './order-row.ts';
import { type LoadedRow, orderStatements } from './order-statements.ts';

type Constraint = Exclude<PostgresFault, Unavailable>;

/** How often a write starts over when what stood in its way was gone on a second look. */
const ATTEMPTS = 3;

/** Orders in PostgreSQL: reads in one statement, a create in one, a change or deletion in two. */
export function postgresOrderRepository({ orm }: Database): OrderRepository {
  const pool = orm.em.getKysely();
  const statements = orderStatements(orm);
  const listStatement = orderListStatements(orm);
  const keys = onceStatements(orm);

  /** What the key's record says, if it still counts. */
  const recall = async (owner: Owner, once: Once | undefined): Promise<Result<Recorded | null, KeyReused>> => {
    if (!once) return ok(null);
    const [row] = await keys.recall(pool, { once: { owner_id: owner, key: once.key } });
    return recalled(once, row);
  };

  /**
   * Runs a write until it is answered. Whatever a constraint says, a recorded key is looked for first: it wins over
   * every other reason, since the write it belongs to has happened.
   */
  const write = <T, E, R>(
    owner: Owner,
    once: Once | undefined,
    replay: (recorded: Recorded) => T,
    attempt: () => Promise<Result<T, E> | 'again'>,
    refusal: (fault: Constraint) => Promise<R | 'again'>,
  ): ResultAsync<T, E | R | KeyReused | Unavailable> => {
    const run = async (): Promise<Result<T, E | R | KeyReused | Unavailable>> => {
      let cause: unknown = new Error('the write met another one at every attempt');
      for (let count = 0; count < ATTEMPTS; count += 1) {
        let refused: R | 'again' = 'again';
        try {
          const answer = await attempt();
          if (answer !== 'again') return answer;
        } catch (thrown) {
          const fault = classify(thrown);
          if (fault.type === 'unavailable') return err(fault);
          cause = thrown;
          const earlier = await recall(owner, once);
          if (earlier.isErr()) return err(earlier.error);
          if (earlier.value) return ok(replay(earlier.value));
          refused = await refusal(fault);
        }
        if (refused !== 'again') return err(refused);
      }
      return err({ type: 'unavailable', cause });
    };
    return new ResultAsync(run().catch((thrown: unknown) => err(unavailable(thrown))));
  };

  /** What a violated constraint says of `order`. */
  const refusalOf = async (
    owner: Owner,
    order: Order,
    fault: Constraint,
  ): Promise<ReferenceTaken | UnknownCustomer | 'again'> => {
    if (fault.constraint === 'orders_customer_foreign') return { type: 'unknown_customer' };
    if (fault.constraint !== 'orders_reference_unique') return 'again';
    const [holder] = await statements.holderOfReference(pool, {
      order: { owner_id: owner, reference: order.reference },
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
      return write(owner, once, replayOrder, insert, (fault) => refusalOf(owner, order, fault));
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
      return write(
        owner,
        once,
        replayOrder,
        () => overwrite(owner, id, once, attempt, replayOrder),
        (fault) => (wanted ? refusalOf(owner, wanted, fault) : Promise.resolve('again' as const)),
      );
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
      return write<OrderDeleted, E | OrderNotFound | KeyReused, never>(
        owner,
        once,
        replay,
        () => overwrite(owner, id, once, attempt, replay),
        () => Promise.resolve('again' as const),
      );
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
