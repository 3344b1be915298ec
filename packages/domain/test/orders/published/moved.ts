import type { Adjustment, LineItem, Order } from '@orders/domain';
import { aDomain, NOW, OWNER, succeeds } from '../../fixtures/a-domain.ts';

// Orders in the documentation of other systems: their shapes and figures, with made-up buyers. Each has the members that
// have a place here; docs/guides/move-to-orders.md lists the others.

/** Imports an order, and returns it as it is read. */
export async function moved(line: object, customer?: object): Promise<Order> {
  const domain = aDomain();
  domain.clock.advance(Date.parse('2026-11-29T00:00:00Z') - Date.parse(NOW));
  if (customer) await succeeds(domain.importCustomer(OWNER, customer));
  const { order } = await succeeds(domain.importOrder(OWNER, line));
  return await succeeds(domain.getOrder(OWNER, order.id));
}

/** Returns published members with each time in UTC: an order keeps no offset. */
export function inUtc(published: unknown): unknown {
  return JSON.parse(JSON.stringify(published), (_, value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).toISOString() : value,
  );
}

/** The names of members here, and in another system. */
export type Names = Readonly<Record<string, string>>;

export function toOurs(names: Names, theirs: object) {
  return Object.fromEntries(Object.entries(names).map(([ours, name]) => [ours, Reflect.get(theirs, name) || null]));
}

export function toTheirs(names: Names, ours: object | null): Record<string, unknown> {
  return Object.fromEntries(Object.entries(names).map(([our, name]) => [name, ours && Reflect.get(ours, our)]));
}

/** Returns the sum of the adjustments that have all these members. */
export function sumOf({ adjustments }: Pick<Order, 'adjustments'>, members: Partial<Adjustment>): number {
  return adjustments
    .filter((adjustment) => Object.entries(members).every(([name, value]) => Reflect.get(adjustment, name) === value))
    .reduce((sum, { amount }) => sum + amount.amount, 0);
}

export function only<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined || list.length > 1) throw new Error(`there are ${list.length}, not one`);
  return first;
}

/** Returns references to items by their index, from those by the id of a line, which is in the metadata of its item. */
export function toItems(lines: readonly { readonly id: string }[], parts: readonly { id: string; quantity: number }[]) {
  return parts.map(({ id, quantity }) => ({ item: lines.findIndex((line) => line.id === id), quantity }));
}

export function lineOf({ items }: Order, item_id: string | null): LineItem {
  return only(items.filter(({ id }) => id === item_id));
}
