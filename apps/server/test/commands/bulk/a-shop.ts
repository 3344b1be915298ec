import {
  type AnyOrder,
  type Domain,
  type ErasureWalk,
  type OrderDefinition,
  untyped,
  type UntypedDomain,
} from '@orders/domain';
import { createDomain } from '@orders/domain/runtime';
import { inMemoryStore } from '@orders/domain/testing';
import type { ResultAsync } from 'neverthrow';
import { exportedPages, type Selection } from '../../../src/commands/bulk/exported-pages.ts';
import type { ExportFormat } from '../../../src/commands/bulk/export-format.ts';

export const OWNER = 'shop';

const TEXTS = ['Tea', '=1+1', '-x', "'=y", 'a "b", c', 'line\nbreak', '“é” 🎁', '@sum', "''"] as const;

/** Returns a domain on an empty in-memory store. */
export function aShop(): Domain<OrderDefinition>;
export function aShop(): unknown {
  return createDomain(inMemoryStore());
}

/** Returns pseudo-random whole numbers below a limit, always the same for a seed. */
function numbersOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/**
 * Gives a shop customers, some of whom are erased between their orders, and orders to which everything has happened that can
 * happen to orders, also since they were erased.
 */
export async function fill(domain: Domain<OrderDefinition>, orders: number, seed = 1): Promise<void> {
  const below = numbersOf(seed);
  const text = () => TEXTS[below(TEXTS.length)] ?? '';
  const maybe = <T>(value: T): T | null => (below(2) === 0 ? value : null);
  const members = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, maybe(text().slice(0, 40))]));
  const on = untyped(domain);
  const customers: string[] = [];
  for (let at = 0; at < Math.ceil(orders / 10); at += 1) {
    const input = { email: `${at}@example.com`, name: maybe(text()), metadata: { z: text(), '1': text() } };
    customers.push((await on.createCustomer(OWNER, input))._unsafeUnwrap().customer.id);
  }
  const money = (amount: number) => ({ amount, currency: 'EUR' });
  const charge = (type: string, amount: number, more: object = {}) => ({
    type,
    name: text(),
    amount: money(amount),
    ...more,
  });
  const line = () => ({
    sku: text(),
    name: text(),
    quantity: 1 + below(5),
    unit_price: money(100 + below(900)),
    metadata: below(2) === 0 ? { [text()]: text(), '1': text() } : {},
  });
  const commands: readonly ((order: AnyOrder) => ResultAsync<unknown, unknown>)[] = [
    ({ id }) => on.changeOrder(OWNER, id, { note: maybe(text()), metadata: { [text()]: text() } }),
    ({ id }) =>
      on.changeOrder(OWNER, id, { buyer: { name: text() }, billing_address: null, external_ids: { erp: [text()] } }),
    ({ id }) => on.changeOrder(OWNER, id, { status: 'paid' }),
    ({ id }) => on.changeOrder(OWNER, id, { status: 'shipped' }),
    ({ id }) => on.cancelOrder(OWNER, id, { reason: maybe(text()) }),
    ({ id }) => on.correctOrder(OWNER, id, { status: on.definition.statuses[below(5)], reason: text() }),
    ({ id, items }) => on.cancelOrder(OWNER, id, { items: [{ item_id: items[0]?.id, quantity: 1 }] }),
    ({ id }) => on.adjustOrder(OWNER, id, { adjustments: [charge('fee', below(9)), charge('other', -1)] }),
    ({ id, items }) => on.adjustOrder(OWNER, id, { adjustments: [charge('refund', -1, { item_id: items[0]?.id })] }),
    ({ id, items }) =>
      on.addItems(OWNER, id, { items: [line()], adjustments: [charge('tax', 1, { item_id: items[0]?.id })] }),
    ({ id, items }) =>
      on.fulfillItems(OWNER, id, { items: [{ item_id: items[0]?.id, quantity: 1 }], tracking: { number: text() } }),
    ({ id, items }) => on.returnItems(OWNER, id, { items: [{ item_id: items[0]?.id, quantity: 1 }] }),
    ({ id, fulfillments }) => on.cancelFulfillment(OWNER, id, fulfillments[0]?.id ?? id),
    ({ id }) => on.changeOrder(OWNER, id, { customer_id: maybe(customers[below(customers.length)]) }),
  ];
  const place = async (at: number) => {
    const items = Array.from({ length: 1 + below(3) }, line);
    const address = () =>
      maybe({ ...members('name', 'company', 'line1', 'line2', 'city', 'region', 'phone'), country: 'DE' });
    const input = {
      items,
      reference: maybe(`PO-${at}`),
      customer_id: maybe(customers[below(customers.length)]),
      external_ids: below(2) === 0 ? { erp: [text()], stripe: ['pi_1', 'pi_2'] } : {},
      buyer: maybe({ ...members('name', 'company', 'phone', 'tax_id'), email: 'Ada@example.com' }),
      shipping_address: address(),
      billing_address: address(),
      note: maybe(text()),
      adjustments: below(2) === 0 ? [charge('shipping', 5, { item: 0 }), charge('tax', 7, { included: true })] : [],
    };
    const { order } = (await on.placeOrder(OWNER, input))._unsafeUnwrap();
    await change(order.id);
  };
  const change = async (id: string) => {
    for (let left = below(6); left > 0; left -= 1) {
      const order = (await on.getOrder(OWNER, id))._unsafeUnwrap();
      // Many are refused by the state of the order.
      await commands[below(commands.length)]?.(order);
    }
  };
  for (let at = 0; at < orders; at += 1) {
    await place(at);
    if (customers.length < 2 || below(20) > 0) continue;
    const [customer_id = ''] = customers.splice(below(customers.length), 1);
    await erase(on, customer_id);
    for (const { id } of (await on.listOrders(OWNER, { customer_id }))._unsafeUnwrap().data) await change(id);
  }
}

/** Erases a customer with all orders. */
async function erase(domain: UntypedDomain, id: string): Promise<void> {
  (await domain.eraseCustomer(OWNER, id))._unsafeUnwrap();
  for (let walk: ErasureWalk | null | undefined; walk !== null;)
    walk = (await domain.continueErasures(OWNER, walk))._unsafeUnwrap().next;
}

/** Returns the text of an export of a shop. */
export async function textOf(
  domain: Domain<OrderDefinition>,
  format: ExportFormat,
  selection: Partial<Selection> = {},
): Promise<string> {
  let text = format.head;
  const all = { orders: { sort: 'created_at' }, customers: true, versions: false };
  for await (const page of exportedPages(domain, OWNER, { ...all, ...selection })) text += format.textOf(page);
  return text;
}
