/** Maximum number of orders that are counted in each status, so that a count ends in time. */
export const COUNTED_MAX = 10_000;

/** Error: orders have statuses that the definition lacks, so that the server cannot serve them. */
export class OrdersInRemovedStatuses extends Error {
  override readonly name = 'OrdersInRemovedStatuses';
  /** The number of orders in each of these statuses; {@link COUNTED_MAX} + 1 for more than that. */
  readonly orders: Readonly<Record<string, number>>;

  constructor(orders: ReadonlyMap<string, number>) {
    const numbers = [...orders].map(([status, count]) => `${describeCount(count)} in the status "${status}"`);
    super(
      `the definition of orders lacks statuses that stored orders have: ${numbers.join(', ')}. ` +
        'Move these orders to other statuses with the earlier definition, or add the statuses to this one',
    );
    this.orders = Object.fromEntries(orders);
  }
}

function describeCount(count: number): string {
  if (count > COUNTED_MAX) return `more than ${COUNTED_MAX} orders`;
  return count === 1 ? '1 order' : `${count} orders`;
}
