// Turns pages of Medusa's list of orders into lines for `orders import`:
//   node --conditions=source from-medusa.ts page-1.json page-2.json > shop.ndjson
// The responses are those of https://docs.medusajs.com/api/admin#orders_getorders (Medusa v2, AdminOrder) on 27 November 2026.
// The list has few members by default. These pages have all that is read here:
//   GET /admin/orders?limit=1000&offset=0&fields=id,display_id,status,email,currency_code,created_at,updated_at,canceled_at,total,tax_total,
//     discount_total,discount_tax_total,*customer,*items,*items.detail,*shipping_methods,*fulfillments,*payment_collections,
//     *payment_collections.payments
// Amounts are in major units, and not rounded. Its totals are those of what was not returned. Addresses are left out: Orders
// has none.
import { ITEM_NAME_LENGTH_MAX, METADATA_VALUE_LENGTH_MAX, minorUnits, SKU_LENGTH_MAX } from '@orders/domain';
import { z } from 'zod';
import { adjustments, customerId, type ImportLine, type OrderLine, print, statuses, withRounding } from './records.ts';
import { Report } from './report.ts';
import { readText } from './text-file.ts';

const Text = z.string().nullish();

/** The members of an order that are read. */
const Order = z.object({
  id: z.string(),
  display_id: z.number().optional(),
  status: z.string(),
  email: z.string().nullable(),
  currency_code: z.string(),
  created_at: z.string(),
  canceled_at: Text,
  updated_at: z.string(),
  total: z.number(),
  tax_total: z.number(),
  discount_total: z.number(),
  discount_tax_total: z.number(),
  customer: z.object({ first_name: Text, last_name: Text }).nullish(),
  items: z.array(
    z.object({
      title: z.string(),
      product_title: Text,
      variant_title: Text,
      variant_sku: Text,
      unit_price: z.number(),
      quantity: z.number(),
      is_tax_inclusive: z.boolean(),
      return_received_total: z.number().optional(),
      return_dismissed_total: z.number().optional(),
      detail: z.object({
        fulfilled_quantity: z.number(),
        return_received_quantity: z.number(),
        return_dismissed_quantity: z.number().default(0),
      }),
    }),
  ),
  shipping_methods: z.array(z.object({ amount: z.number() })),
  fulfillments: z
    .array(z.object({ created_at: z.string(), shipped_at: Text, delivered_at: Text, canceled_at: Text }))
    .default([]),
  payment_collections: z.array(
    z.object({
      refunded_amount: z.number().nullish(),
      payments: z.array(z.object({ captured_at: Text })).default([]),
    }),
  ),
});
type MedusaOrder = z.infer<typeof Order>;
type Item = MedusaOrder['items'][number];
const Page = z.object({ orders: z.array(z.unknown()) });

/** Returns the customers in some files, then their orders, and adds to `report` what could not be converted. */
export async function* fromMedusa(files: readonly string[], report: Report): AsyncGenerator<ImportLine> {
  const emails = new Set<string>();
  for await (const { email, customer, created_at } of ordersIn(files, new Report())) {
    // A guest and a customer with an account may have the same email. Here they are one.
    const id = customerId(email ?? '');
    if (email === null || emails.has(id)) continue;
    emails.add(id);
    const names = [customer?.first_name, customer?.last_name].filter((name) => typeof name === 'string');
    yield { kind: 'customer', id, email, name: names.join(' ') || null, created_at };
  }
  for await (const order of ordersIn(files, report)) {
    const line = report.attempt(nameOf(order), () => orderOf(order, report));
    if (line) yield line;
  }
}

/** Reads the orders, of one page at a time. */
async function* ordersIn(files: readonly string[], report: Report): AsyncGenerator<MedusaOrder> {
  for (const file of files) {
    const page: unknown = JSON.parse(await readText(file));
    for (const input of Page.parse(page).orders) {
      const { success, data, error } = Order.safeParse(input);
      if (success) yield data;
      else report.failures.push(`${nameOf(input)}: ${z.prettifyError(error).replaceAll('\n', ' ')}`);
      const { data: members = {} } = z.record(z.string(), z.unknown()).safeParse(input);
      Object.keys(members)
        .filter((member) => !(member in Order.shape))
        .map((member) => report.leave(member));
    }
  }
}

/** Returns how an order is found in Medusa. */
function nameOf(order: unknown): string {
  const Named = z.object({ id: z.string(), display_id: z.number().optional() });
  const { success, data } = Named.safeParse(order);
  return success ? `order ${data.id}${data.display_id === undefined ? '' : ` (#${data.display_id})`}` : 'an order';
}

function orderOf(order: MedusaOrder, report: Report): OrderLine {
  const { id, display_id, email, created_at } = order;
  const currency = order.currency_code.toUpperCase();
  const taxIncluded = order.items.some(({ is_tax_inclusive }) => is_tax_inclusive);
  const rounded = report.rounded;
  const items = order.items.map((item, index) => itemOf(item, index, currency, report));
  const charges = {
    discount: order.discount_total - (taxIncluded ? 0 : order.discount_tax_total),
    shipping: order.shipping_methods.reduce((sum, { amount }) => sum + amount, 0),
    tax: order.tax_total,
    fee: 0,
    refund: report.money(refundOf(order, report), currency, 'refund'),
  };
  const returned = items.reduce((sum, item) => sum + item.returned_quantity * item.unit_price.amount, 0);
  const last = (times: readonly (string | null | undefined)[]) =>
    times
      .filter((time) => typeof time === 'string')
      .toSorted((left, right) => Date.parse(left) - Date.parse(right))
      .at(-1) ?? null;
  const fulfillments = order.fulfillments.filter(({ canceled_at }) => !canceled_at);
  const isSent =
    fulfillments.length > 0 && order.items.every(({ quantity, detail }) => detail.fulfilled_quantity === quantity);
  const allHave = (member: 'shipped_at' | 'delivered_at') =>
    isSent && fulfillments.every((each) => each[member]) ? last(fulfillments.map((each) => each[member])) : null;
  const sent = order.items.flatMap(({ detail }, item) =>
    detail.fulfilled_quantity > 0 ? [{ item, quantity: detail.fulfilled_quantity }] : [],
  );
  const line: OrderLine = {
    kind: 'order',
    reference: id,
    customer_id: email === null ? null : customerId(email),
    created_at,
    ...statuses({
      paid: last(order.payment_collections.flatMap(({ payments }) => payments.map(({ captured_at }) => captured_at))),
      shipped: allHave('shipped_at'),
      delivered: allHave('delivered_at'),
      cancelled: order.status === 'canceled' ? (order.canceled_at ?? order.updated_at) : null,
    }),
    items,
    adjustments: [
      ...adjustments(charges, taxIncluded, currency, report),
      // Taxes and discounts are those of the other items.
      ...(returned === 0
        ? []
        : [{ type: 'refund', name: 'Returned items', amount: { amount: -returned, currency } } as const]),
    ],
    // The list does not say which items each fulfillment has, so that one has all of them.
    fulfillments:
      sent.length === 0 ? [] : [{ items: sent, created_at: last(fulfillments.map((each) => each.created_at)) }],
    // An amount that got lost on the way fails the import.
    total: { amount: report.money(order.total, currency, 'total').amount - charges.refund.amount, currency },
    metadata: display_id === undefined ? {} : { display_id: report.text(`${display_id}`, METADATA_VALUE_LENGTH_MAX) },
  };
  return report.rounded > rounded ? withRounding(line) : line;
}

/**
 * Returns an item of an order.
 *
 * @throws {Error} it cannot be converted, with its place and SKU
 */
function itemOf(item: Item, index: number, currency: string, report: Report) {
  const sku = item.variant_sku || item.title;
  const name = `item ${index + 1} (${sku})`;
  const { return_received_quantity: received, return_dismissed_quantity: dismissed } = item.detail;
  for (const quantity of [item.quantity, item.detail.fulfilled_quantity, received + dismissed])
    if (!Number.isInteger(quantity)) throw new Error(`${name}: the quantity ${quantity} is no whole number`);
  const names = [item.product_title ?? item.title, item.variant_title];
  return {
    sku: report.text(sku, SKU_LENGTH_MAX),
    name: report.text(names.filter(Boolean).join(', '), ITEM_NAME_LENGTH_MAX),
    quantity: item.quantity,
    unit_price: report.money(item.unit_price, currency, `${name}: unit_price`),
    returned_quantity: received + dismissed,
  };
}

/** Returns what was paid back besides the returned items, which the total lacks already. */
function refundOf({ items, payment_collections, currency_code }: MedusaOrder, report: Report): number {
  const refund = payment_collections.reduce((sum, { refunded_amount }) => sum + (refunded_amount ?? 0), 0);
  const returned = items.filter(({ detail }) => detail.return_received_quantity + detail.return_dismissed_quantity > 0);
  if (refund === 0 || returned.length === 0) return refund;
  const totals = returned.map(
    ({ return_received_total: received, return_dismissed_total: dismissed = 0 }) => received && received + dismissed,
  );
  if (totals.every((total) => total !== undefined)) {
    const more = refund - totals.reduce((sum, total) => sum + total, 0);
    // A payment is rounded, and a total is not.
    return more < 10 ** -minorUnits(currency_code.toUpperCase()) ? 0 : more;
  }
  report.leave('what was refunded besides returned items, without items.return_received_total');
  return 0;
}

if (import.meta.main) {
  const report = new Report();
  await print(fromMedusa(process.argv.slice(2), report), report);
}
