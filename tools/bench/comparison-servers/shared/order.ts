import { createHash, randomUUIDv7 } from 'node:crypto';
import { Rejection } from './problem.ts';
import type { NewOrder } from './validation.ts';

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
const TRANSITIONS: Readonly<Record<string, readonly string[]>> = {
  pending: ['paid', 'cancelled'],
  paid: ['shipped', 'cancelled'],
  shipped: ['delivered', 'cancelled'],
  delivered: ['cancelled'],
  cancelled: [],
};

/** Returns the columns that a cancellation changes, and its event. */
export function cancellation<Time>(
  { id, status, version: before }: Pick<OrderRow<Time>, 'id' | 'status' | 'version'>,
  reason: string | null,
  at: Time,
) {
  if (TRANSITIONS[status]?.includes('cancelled') !== true) throw new Rejection('order_already_cancelled');
  const version = before + 1;
  const change = { status: 'cancelled', cancel_reason: reason, version, updated_at: at, cancelled_at: at };
  const changed = ['status', 'cancelled_at', ...(reason === null ? [] : ['cancel_reason'])];
  return { change, event: eventOf('order.cancelled', id, version, changed, at) };
}

function eventOf<Time>(type: string, aggregate_id: string, version: number, changed: readonly string[], at: Time) {
  return { id: randomUUIDv7(), type, aggregate_id, version, changed: [...changed], occurred_at: at };
}

/** Returns a new order, its items and its event, with ids, times and totals. */
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
  return { order, items, event: eventOf('order.placed', order.id, 1, [], now) };
}

/** The quantities of an item of these servers, where nothing happens to it. */
const NOTHING_HAPPENED = { fulfilled_quantity: 0, cancelled_quantity: 0, returned_quantity: 0 };

/** What an order of these servers has of others: no buyer, no addresses, and no ids of other systems. */
const NO_PARTIES = { external_ids: {}, buyer: null, shipping_address: null, billing_address: null };

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
      ...NOTHING_HAPPENED,
      unit_price: { amount: unit_amount, currency },
      total: { amount: total_amount, currency },
      metadata: {},
    })),
    adjustments: [],
    fulfillments: [],
    subtotal: { amount: order.total_amount, currency },
    total: { amount: order.total_amount, currency },
    ...NO_PARTIES,
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
    corrected_at: null,
    erased_at: null,
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

/** Returns when an idempotency key is used and when it expires. */
export function keyTimes() {
  const now = Date.now();
  return { created_at: new Date(now), expires_at: new Date(now + DAY_MS) };
}

/** The number of orders of a page. */
export const PAGE = 20;

/** Returns the page of the newest orders, of which one more than a page was read, and its `Link`. */
export function pageOf(found: readonly PresentedOrder[]) {
  const data = found.slice(0, PAGE);
  const last = data.at(-1);
  const cursor = [last?.created_at, last?.id];
  const next_cursor = found.length > PAGE ? Buffer.from(JSON.stringify(cursor)).toString('base64url') : null;
  const link = next_cursor === null ? undefined : `</v1/orders?after=${next_cursor}>; rel="next"`;
  return { link, page: { data, page: { limit: PAGE, has_more: next_cursor !== null, next_cursor } } };
}
