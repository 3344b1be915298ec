import { createHash, randomUUIDv7 } from 'node:crypto';

interface Money {
  readonly amount: number;
  readonly currency: string;
}

interface NewItem {
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly unit_price: Money;
}

/** A valid body of a new order. */
export interface NewOrder {
  readonly items: readonly NewItem[];
  readonly customer_id?: string | null | undefined;
  readonly reference?: string | null | undefined;
  readonly note?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
}

/** An item as it is stored. */
export interface ItemRow {
  readonly line: number;
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly unit_amount: number;
  readonly total_amount: number;
}

/** An order as it is stored. `Time` is the type that the driver reads times as. */
export interface OrderRow<Time> {
  readonly id: string;
  readonly status: string;
  readonly customer_id: string | null;
  readonly reference: string | null;
  readonly currency: string;
  readonly total_amount: number;
  readonly item_count: number;
  readonly note: string | null;
  readonly metadata: unknown;
  readonly cancel_reason: string | null;
  readonly version: number;
  readonly created_at: Time;
  readonly updated_at: Time;
  readonly paid_at: Time | null;
  readonly shipped_at: Time | null;
  readonly delivered_at: Time | null;
  readonly cancelled_at: Time | null;
}

/** The statuses that an order may change to, by its status. */
export const TRANSITIONS: Readonly<Record<string, readonly string[]>> = {
  pending: ['paid', 'cancelled'],
  paid: ['shipped', 'cancelled'],
  shipped: ['delivered', 'cancelled'],
  delivered: ['cancelled'],
  cancelled: [],
};

/** Returns the changed members in the event of a cancellation. */
export function changedByCancelling(reason: string | null): readonly string[] {
  return ['status', 'cancelled_at', ...(reason === null ? [] : ['cancel_reason'])];
}

/** Returns a new order and its items, with ids, times and totals. */
export function priced<Time>(input: NewOrder, now: Time) {
  const currency = input.items[0]?.unit_price.currency ?? '';
  const items: readonly ItemRow[] = input.items.map(({ sku, name, quantity, unit_price: { amount } }, line) => ({
    line,
    id: randomUUIDv7(),
    sku,
    name,
    quantity,
    unit_amount: amount,
    total_amount: amount * quantity,
  }));
  const order: OrderRow<Time> = {
    id: randomUUIDv7(),
    status: 'pending',
    customer_id: input.customer_id ?? null,
    reference: input.reference ?? null,
    currency,
    total_amount: items.reduce((sum, { total_amount }) => sum + total_amount, 0),
    item_count: items.length,
    note: input.note ?? null,
    metadata: input.metadata ?? {},
    cancel_reason: null,
    version: 1,
    created_at: now,
    updated_at: now,
    paid_at: null,
    shipped_at: null,
    delivered_at: null,
    cancelled_at: null,
  };
  return { order, items };
}

/** Returns the representation of an order in a response. */
export function presented<Time>(order: OrderRow<Time>, items: readonly ItemRow[]) {
  const { currency } = order;
  return {
    id: order.id,
    status: order.status,
    customer_id: order.customer_id,
    reference: order.reference,
    items: items.map(({ id, sku, name, quantity, unit_amount, total_amount }) => ({
      id,
      sku,
      name,
      quantity,
      unit_price: { amount: unit_amount, currency },
      total: { amount: total_amount, currency },
    })),
    total: { amount: order.total_amount, currency },
    note: order.note,
    metadata: order.metadata,
    cancel_reason: order.cancel_reason,
    available_transitions: TRANSITIONS[order.status] ?? [],
    version: order.version,
    created_at: order.created_at,
    updated_at: order.updated_at,
    paid_at: order.paid_at,
    shipped_at: order.shipped_at,
    delivered_at: order.delivered_at,
    cancelled_at: order.cancelled_at,
  };
}

export type PresentedOrder = ReturnType<typeof presented<Date | string>>;

/** Returns the entity tag of a version. */
export function entityTag(version: number): string {
  return `"${version}-1"`;
}

/** Returns the fingerprint of a command, which differs between different commands. */
export function fingerprint(operation: string, ...values: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([operation, ...values]))
    .digest('base64url');
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the expiry of an idempotency key that is used now. */
export function expiry(now: Date): Date {
  return new Date(now.getTime() + DAY_MS);
}

/** Returns the cursor of a position in a list. */
export function cursorOf(created_at: Date | string, id: string): string {
  return Buffer.from(JSON.stringify([created_at, id])).toString('base64url');
}
