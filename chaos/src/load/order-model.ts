import type { Resource } from './resource.ts';

/** What may follow on each status, as the contract has it: not taken from the program that is judged. */
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

/** What a new order has to look like; of its items, which get ids of their own, only the total. */
export function placedOrder(items: readonly NewItem[], rest: Readonly<Record<string, unknown>>) {
  const amount = items.reduce((sum, item) => sum + item.quantity * item.amount, 0);
  const absent = { customer_id: null, reference: null, note: null, metadata: {}, cancel_reason: null };
  const times = { paid_at: null, shipped_at: null, delivered_at: null, cancelled_at: null };
  const total = { amount, currency: EUR };
  const available_transitions = FOLLOWING['pending'];
  return { status: 'pending', version: 1, ...absent, ...times, ...rest, total, available_transitions };
}

/** What an order has to look like after a change that the order `after` tells the time of. */
export function changedOrder(before: Resource, change: Readonly<Record<string, unknown>>, after: string) {
  const { status } = change;
  const entered =
    typeof status === 'string' ? { [`${status}_at`]: after, available_transitions: FOLLOWING[status] } : {};
  return { ...before, ...change, ...entered, version: before.version + 1, updated_at: after };
}

/** What happened to an order that was changed so. */
export function eventOf({ status }: Readonly<Record<string, unknown>>): string {
  return typeof status === 'string' ? `order.${status}` : 'order.changed';
}

/** When a resource was changed last; what is no resource, never. */
export function changeTime(input: unknown): string {
  return typeof input === 'object' && input !== null && 'updated_at' in input && typeof input.updated_at === 'string'
    ? input.updated_at
    : '';
}
