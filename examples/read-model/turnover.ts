import type { OrderEventType } from '@orders/domain';
import type { FeedEvent } from '@orders/domain/events';
import type { Transaction } from '@orders/persistence';

/** The owner of the orders. */
export const SHOP = 'shop';

/** The name of the consumer, under which its checkpoint is stored. */
export const CONSUMER = 'turnover';

/** The events that are counted. */
export const COUNTED: readonly OrderEventType[] = ['order.placed', 'order.paid', 'order.cancelled'];

/** The number of orders that were placed, paid or cancelled on each day (UTC), and their total. */
export const CREATE_TURNOVER = `create table turnover (
  day date, type text, currency text, orders integer not null, total bigint not null, primary key (day, type, currency))`;

const ADD = `insert into turnover (day, type, currency, orders, total) values ($1, $2, $3, 1, $4)
  on conflict (day, type, currency) do update
  set orders = turnover.orders + excluded.orders, total = turnover.total + excluded.total`;

/** Adds the order of an event to the turnover of its day. To do so twice for an event would count its order twice. */
export async function count(
  { type, occurred_at, resource }: FeedEvent,
  { client }: Pick<Transaction, 'client'>,
): Promise<void> {
  // The snapshot of an order is there as long as the event is in the feed.
  if (resource.type !== 'order' || !resource.data) throw new Error(`the event ${type} has no order`);
  const { amount, currency } = resource.data.total;
  await client.query(ADD, [occurred_at.slice(0, 10), type, currency, amount]);
}
