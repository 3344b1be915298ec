import type { Resource } from './resource.ts';

/** The transitions of each status according to the contract, independent of the tested program. */
export const FOLLOWING: Readonly<Record<string, readonly string[]>> = {
  pending: ['paid', 'cancelled'],
  paid: ['shipped', 'cancelled'],
  shipped: ['delivered', 'cancelled'],
  delivered: ['cancelled'],
  cancelled: [],
};

const EUR = 'EUR';

export interface NewItem {
  readonly sku: string;
  readonly quantity: number;
  readonly amount: number;
}

/** The body that places an order. */
export function orderBody(items: readonly NewItem[], rest: Readonly<Record<string, unknown>>) {
  return {
    ...rest,
    items: items.map(({ sku, quantity, amount }) => ({
      sku,
      name: `The thing ${sku}`,
      quantity,
      unit_price: { amount, currency: EUR },
    })),
  };
}

/** Returns the expected new order; of its items, which get ids, only the total. */
export function placedOrder(items: readonly NewItem[], rest: Readonly<Record<string, unknown>>) {
  const amount = items.reduce((sum, item) => sum + item.quantity * item.amount, 0);
  const absent = { customer_id: null, reference: null, note: null, metadata: {}, cancel_reason: null };
  const times = { paid_at: null, shipped_at: null, delivered_at: null, cancelled_at: null };
  const total = { amount, currency: EUR };
  const available_transitions = FOLLOWING['pending'];
  return { status: 'pending', version: 1, ...absent, ...times, ...rest, total, available_transitions };
}

/** Returns the expected order after a change; `after` supplies the time of the change. */
export function changedOrder(before: Resource, change: Readonly<Record<string, unknown>>, after: string) {
  const { status } = change;
  const entered =
    typeof status === 'string' ? { [`${status}_at`]: after, available_transitions: FOLLOWING[status] } : {};
  return { ...before, ...change, ...entered, version: before.version + 1, updated_at: after };
}

/** Returns the type of the event of such a change. */
export function eventOf({ status }: Readonly<Record<string, unknown>>): string {
  return typeof status === 'string' ? `order.${status}` : 'order.changed';
}

/** Returns when a resource was last changed; `undefined` for other values. */
export function changeTime(input: unknown): string {
  return typeof input === 'object' && input !== null && 'updated_at' in input && typeof input.updated_at === 'string'
    ? input.updated_at
    : '';
}
