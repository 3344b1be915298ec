import type { Random } from '@orders/property-runs/random';
import { isRecord, type Resource } from './resource.ts';

export const EUR = 'EUR';

const ADJUSTMENTS_MAX = 100;

interface Money {
  readonly amount: number;
  readonly currency: string;
}

type QuantityName = 'fulfilled_quantity' | 'cancelled_quantity' | 'returned_quantity';

/** An item of an order. */
export interface Item extends Readonly<Record<QuantityName, number>> {
  readonly id: string;
  readonly quantity: number;
  readonly unit_price: Money;
  readonly total: Money;
}

interface NewAdjustment {
  readonly type: string;
  readonly name: string;
  readonly amount: Money;
  readonly included?: boolean;
}

interface ItemQuantity {
  readonly item_id: string;
  readonly quantity: number;
}

interface Fulfillment {
  readonly id: string;
  readonly items: readonly ItemQuantity[];
  readonly cancelled_at: string | null;
}

/** An order with what it was charged, and what happened to its items. */
type ChargedOrder = Resource & {
  readonly items: readonly Item[];
  readonly adjustments: readonly NewAdjustment[];
  readonly fulfillments: readonly Fulfillment[];
};

type Members = Readonly<Record<string, unknown>>;

/** A command on adjustments or quantities, which its order allows. */
interface Charge {
  /** The path below that of the order. */
  readonly path: string;
  readonly body: Members | undefined;
  readonly event: string;
  /** Returns the changed members according to the contract. The ids of what it adds are those of the response. */
  readonly changed: (response: unknown, at: string) => Members;
}

export function isCharged(order: Resource): order is ChargedOrder {
  return ['items', 'adjustments', 'fulfillments'].every((name) => Array.isArray(order[name]));
}

/** Returns a random command; `undefined` if the order does not allow the drawn one. The order is not cancelled. */
export function aCharge(order: ChargedOrder, random: Random): Charge | undefined {
  return random.pick([adjust, fulfill, fulfill, takeBack, cancelItem, cancelFulfillment])(order, random);
}

function adjust(order: ChargedOrder, random: Random): Charge | undefined {
  if (order.adjustments.length === ADJUSTMENTS_MAX) return undefined;
  const { total } = totalsOf(order.items, order.adjustments);
  const [type, amount] = random.chance(0.5)
    ? ['fee', random.below(5000)]
    : ['refund', 0 - random.below(total.amount + 1)];
  const sent = { type, name: `A ${type}`, amount: { amount, currency: EUR } };
  const changed: Charge['changed'] = (response, at) => {
    const adjustments = [...order.adjustments, ...added([sent], response, order.adjustments.length, at)];
    return { adjustments, ...totalsOf(order.items, adjustments) };
  };
  return { path: 'adjustments', body: { adjustments: [sent] }, event: 'order.adjusted', changed };
}

function fulfill(order: ChargedOrder, random: Random): Charge | undefined {
  const taken = someOf(order, random, openOf);
  if (!taken) return undefined;
  const number = `R${random.below(1_000_000)}`;
  const items = moved(order.items, [taken], 'fulfilled_quantity', 1);
  const changed: Charge['changed'] = (response, at) => {
    const id = idAt(response, 'fulfillments', order.fulfillments.length);
    const tracking = { carrier: null, number, url: null };
    const fulfillment = { id, created_at: at, items: [taken], tracking, cancelled_at: null };
    return { items, fulfillments: [...order.fulfillments, fulfillment] };
  };
  const body = { items: [taken], tracking: { number } };
  return { path: 'fulfillments', body, event: 'order.items_fulfilled', changed };
}

function takeBack(order: ChargedOrder, random: Random): Charge | undefined {
  const taken = someOf(order, random, (item) => item.fulfilled_quantity - item.returned_quantity);
  if (!taken) return undefined;
  const items = moved(order.items, [taken], 'returned_quantity', 1);
  return { path: 'returns', body: { items: [taken] }, event: 'order.items_returned', changed: () => ({ items }) };
}

function cancelItem(order: ChargedOrder, random: Random): Charge | undefined {
  const taken = someOf(order, random, openOf);
  if (!taken) return undefined;
  const items = moved(order.items, [taken], 'cancelled_quantity', 1);
  const totals = totalsOf(items, order.adjustments);
  const remains = items.some(({ quantity, cancelled_quantity }) => cancelled_quantity < quantity);
  if (!remains || totals.total.amount < 0) return undefined;
  const changed = () => ({ items, ...totals });
  return { path: 'cancel', body: { items: [taken] }, event: 'order.items_cancelled', changed };
}

function cancelFulfillment({ items, fulfillments }: ChargedOrder, random: Random): Charge | undefined {
  const mistaken = random.pick(fulfillments.filter(({ cancelled_at }) => cancelled_at === null));
  if (!mistaken) return undefined;
  const before = moved(items, mistaken.items, 'fulfilled_quantity', -1);
  if (before.some((item) => item.returned_quantity > item.fulfilled_quantity)) return undefined;
  const changed: Charge['changed'] = (_, at) => {
    const cancelled = fulfillments.map((each) => (each === mistaken ? { ...each, cancelled_at: at } : each));
    return { items: before, fulfillments: cancelled };
  };
  return { path: `fulfillments/${mistaken.id}/cancel`, body: undefined, event: 'order.fulfillment_cancelled', changed };
}

const openOf = (item: Item): number => item.quantity - item.fulfilled_quantity - item.cancelled_quantity;

/** Returns some of what is available of a random item; `undefined` if nothing is available of any. */
function someOf(
  { items }: ChargedOrder,
  random: Random,
  availableOf: (item: Item) => number,
): ItemQuantity | undefined {
  const item = random.pick(items.filter((each) => availableOf(each) > 0));
  return item && { item_id: item.id, quantity: 1 + random.below(availableOf(item)) };
}

function moved(
  items: readonly Item[],
  taken: readonly ItemQuantity[],
  name: QuantityName,
  by: 1 | -1,
): readonly Item[] {
  return items.map((item) => {
    const change = taken.find(({ item_id }) => item_id === item.id);
    const after = change ? { ...item, [name]: item[name] + by * change.quantity } : item;
    const amount = (after.quantity - after.cancelled_quantity) * after.unit_price.amount;
    return { ...after, total: { ...after.total, amount } };
  });
}

/** Returns adjustments as an order has them, from the place `from` of its list. */
export function added(sent: readonly NewAdjustment[], response: unknown, from: number, at: string) {
  return sent.map((one, index) => {
    const id = idAt(response, 'adjustments', from + index);
    return { included: false, ...one, id, item_id: null, created_at: at };
  });
}

/** Returns the totals of an order. */
export function totalsOf(
  items: readonly { readonly total: Money }[],
  adjustments: readonly NewAdjustment[],
): Readonly<Record<'subtotal' | 'total', Money>> {
  const subtotal = items.reduce((sum, { total }) => sum + total.amount, 0);
  const charged = adjustments.filter(({ included = false }) => !included);
  const total = charged.reduce((sum, { amount }) => sum + amount.amount, subtotal);
  return { subtotal: { amount: subtotal, currency: EUR }, total: { amount: total, currency: EUR } };
}

function idAt(response: unknown, list: string, index: number): unknown {
  const all = isRecord(response) ? response[list] : undefined;
  const part: unknown = Array.isArray(all) ? all[index] : undefined;
  return isRecord(part) ? part['id'] : undefined;
}
