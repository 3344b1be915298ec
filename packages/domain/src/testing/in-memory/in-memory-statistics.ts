import { okAsync } from 'neverthrow';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { Order } from '../../orders/order.ts';
import { toMilliseconds, toTimestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import { figuresOf } from '../../statistics/order-figures.ts';
import type { OrderStatistics } from '../../statistics/order-statistics.ts';

/** Above it, not every integer is a number. */
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns the figures of orders in memory, which are added up for each call. */
export function inMemoryStatistics(
  definition: OrderDefinition,
  ordersOf: (owner: Owner) => readonly Order[],
  lastPosition: (owner: Owner) => number,
): OrderStatistics<OrderDefinition> {
  const figuresOfAll = (owner: Owner) => ordersOf(owner).flatMap((order) => figuresOf(order, definition));
  return {
    findRange: (owner) => {
      const times = figuresOfAll(owner)
        .map(({ at }) => at)
        .toSorted();
      const [from, last] = [times[0], times.at(-1)];
      const range = from && last ? { from, before: toTimestamp(toMilliseconds(last) + 1) } : null;
      return okAsync({ range, as_of: lastPosition(owner) });
    },

    sum: (owner, bounds, limit) => {
      const found = new Map<string, { readonly bucket: number; orders: number; total: bigint }>();
      for (const { at, status, total } of figuresOfAll(owner)) {
        const bucket = bounds.findLastIndex((bound) => bound <= at);
        if (bucket === -1 || bucket === bounds.length - 1) continue;
        const key = `${String(bucket).padStart(5, '0')} ${status} ${total.currency}`;
        const sum = found.get(key) ?? { bucket, orders: 0, total: 0n };
        sum.orders += 1;
        sum.total += BigInt(total.amount);
        found.set(key, sum);
      }
      const sorted = [...found].toSorted(([left], [right]) => (left < right ? -1 : 1)).slice(0, limit);
      const sums = sorted.map(([key, { bucket, orders, total }]) => {
        const [, status = '', currency = ''] = key.split(' ');
        return { bucket, status, currency, orders, total: total <= MAX_EXACT ? Number(total) : null };
      });
      return okAsync({ sums, as_of: lastPosition(owner) });
    },
  };
}
