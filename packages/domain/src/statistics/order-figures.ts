import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Money } from '../shared/money.ts';

/** The status of the figures of placing an order. No status has this name. */
export const PLACED = 'placed';

/** One count of an order: at `created_at`, or at the last entry of a status. */
export interface OrderFigure {
  readonly at: Timestamp;
  /** {@link PLACED}, or the entered status. */
  readonly status: string;
  readonly total: Money;
}

/** An order of any definition. */
interface CountedOrder {
  readonly total: Money;
  readonly created_at: Timestamp;
}

/** Returns all counts of an order. The figures of an owner are the sums of those of the orders that exist. */
export function figuresOf(order: CountedOrder, { noTimes }: OrderDefinition): readonly OrderFigure[] {
  const { total } = order;
  const times: ReadonlyMap<string, unknown> = new Map(Object.entries(order));
  const entered = Object.keys(noTimes).flatMap((member) => {
    const at = times.get(member);
    return typeof at === 'string' ? [{ at, status: member.replace(/_at$/, ''), total }] : [];
  });
  return [{ at: order.created_at, status: PLACED, total }, ...entered];
}
