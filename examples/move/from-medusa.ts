// Turns pages of Medusa's list of orders into lines for `orders import`:
//   node from-medusa.ts page-1.json page-2.json > shop.ndjson
// The responses are those of https://docs.medusajs.com/api/admin#orders_getorders (Medusa v2, AdminOrder) on 27 November 2026.
// The list has few members by default. These pages have all that is read here:
//   GET /admin/orders?limit=1000&offset=0&fields=id,display_id,status,email,currency_code,created_at,updated_at,canceled_at,total,tax_total,
//     discount_total,discount_tax_total,*customer,*items,*items.detail,*shipping_methods,*fulfillments,*payment_collections,
//     *payment_collections.payments
// Amounts are in major units. Addresses are left out: Orders has none.
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { adjustments, customerId, type ImportLine, money, type OrderLine, print, statuses } from './records.ts';

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
      detail: z.object({ fulfilled_quantity: z.number(), return_received_quantity: z.number() }),
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
const Page = z.object({ orders: z.array(Order) });

/** Returns the customers in some files, then their orders. */
export async function* fromMedusa(files: readonly string[]): AsyncGenerator<ImportLine> {
  const emails = new Set<string>();
  for await (const { email, customer, created_at } of ordersIn(files)) {
    // A guest and a customer with an account may have the same email. Here they are one.
    const id = customerId(email ?? '');
    if (email === null || emails.has(id)) continue;
    emails.add(id);
    const names = [customer?.first_name, customer?.last_name].filter((name) => typeof name === 'string');
    yield { kind: 'customer', id, email, name: names.join(' ') || null, created_at };
  }
  for await (const order of ordersIn(files)) yield orderOf(order);
}

/** Reads the orders, of one page at a time. */
async function* ordersIn(files: readonly string[]): AsyncGenerator<MedusaOrder> {
  for (const file of files) {
    const page: unknown = JSON.parse(await readFile(file, 'utf8'));
    yield* Page.parse(page).orders;
  }
}

function orderOf(order: MedusaOrder): OrderLine {
  const { id, display_id, email, created_at } = order;
  const currency = order.currency_code.toUpperCase();
  const taxIncluded = order.items.some(({ is_tax_inclusive }) => is_tax_inclusive);
  const refund = order.payment_collections.reduce((sum, { refunded_amount }) => sum + (refunded_amount ?? 0), 0);
  const charges = {
    discount: order.discount_total - (taxIncluded ? 0 : order.discount_tax_total),
    shipping: order.shipping_methods.reduce((sum, { amount }) => sum + amount, 0),
    tax: order.tax_total,
    fee: 0,
    refund,
  };
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
  return {
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
    items: order.items.map((item) => ({
      sku: (item.variant_sku || item.title).slice(0, 64),
      name: [item.product_title ?? item.title, item.variant_title].filter(Boolean).join(', ').slice(0, 255),
      quantity: item.quantity,
      unit_price: money(item.unit_price, currency),
      returned_quantity: item.detail.return_received_quantity,
    })),
    adjustments: adjustments(charges, taxIncluded, currency),
    // The list does not say which items each fulfillment has, so that one has all of them.
    fulfillments:
      sent.length === 0 ? [] : [{ items: sent, created_at: last(fulfillments.map((each) => each.created_at)) }],
    // An amount that got lost on the way fails the import.
    total: { amount: money(order.total, currency).amount - money(refund, currency).amount, currency },
    metadata: display_id === undefined ? {} : { display_id: `${display_id}` },
  };
}

if (import.meta.main) await print(fromMedusa(process.argv.slice(2)));
