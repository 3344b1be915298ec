// Turns pages of Medusa's list of orders into lines for `orders import`:
//   node --conditions=source from-medusa.ts page-1.json page-2.json > shop.ndjson
// The responses are those of https://docs.medusajs.com/api/admin#orders_getorders (Medusa v2, AdminOrder) on 27 November 2026.
// The list has few members by default. These pages have all that is read here:
//   GET /admin/orders?limit=1000&offset=0&fields=id,display_id,status,email,currency_code,created_at,updated_at,canceled_at,total,tax_total,
//     discount_total,discount_tax_total,metadata,*customer,*shipping_address,*billing_address,*items,*items.detail,*shipping_methods,
//     *fulfillments,*payment_collections,*payment_collections.payments
// Amounts are in major units, and not rounded. Its totals are those of what was not returned.
import {
  ITEM_METADATA_KEYS_MAX,
  ITEM_METADATA_VALUE_LENGTH_MAX,
  ITEM_NAME_LENGTH_MAX,
  METADATA_KEYS_MAX,
  METADATA_VALUE_LENGTH_MAX,
  minorUnits,
  SKU_LENGTH_MAX,
} from '@orders/domain';
import { z } from 'zod';
import {
  address,
  adjustments,
  buyer,
  customerId,
  externalIds,
  type ImportLine,
  metadata,
  type OrderLine,
  print,
  statuses,
  withRounding,
} from './records.ts';
import { Report } from './report.ts';
import { readText } from './text-file.ts';

const Text = z.string().nullish();
const Person = z.object({ first_name: Text, last_name: Text }).nullish();
const Metadata = z.record(z.string(), z.unknown()).nullish();
const Address = z
  .object({
    first_name: Text,
    last_name: Text,
    company: Text,
    address_1: Text,
    address_2: Text,
    city: Text,
    province: Text,
    postal_code: Text,
    country_code: Text,
    phone: Text,
    metadata: Metadata,
  })
  .nullish();

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
  metadata: Metadata,
  customer: z
    .object({ first_name: Text, last_name: Text, company_name: Text, phone: Text, has_account: z.boolean().nullish() })
    .nullish(),
  shipping_address: Address,
  billing_address: Address,
  items: z.array(
    z.object({
      title: z.string(),
      product_title: Text,
      variant_title: Text,
      variant_sku: Text,
      unit_price: z.number(),
      quantity: z.number(),
      is_tax_inclusive: z.boolean(),
      metadata: Metadata,
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
      payments: z
        .array(
          z.object({ id: Text, provider_id: Text, data: z.object({ id: z.unknown() }).nullish(), captured_at: Text }),
        )
        .default([]),
    }),
  ),
});
type MedusaOrder = z.infer<typeof Order>;
type Item = MedusaOrder['items'][number];
const Page = z.object({ orders: z.array(z.unknown()) });

/** Returns the customers in some files, then their orders, and adds to `report` what could not be converted. */
export async function* fromMedusa(files: readonly string[], report: Report): AsyncGenerator<ImportLine> {
  const emails = new Set<string>();
  for await (const order of ordersIn(files, new Report())) {
    const id = customerOf(order);
    if (id === null || emails.has(id)) continue;
    emails.add(id);
    yield { kind: 'customer', id, email: order.email, name: nameIn(order.customer), created_at: order.created_at };
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
        .map((member) => report.leave(member, nameOf(input)));
    }
  }
}

/** Returns how an order is found in Medusa. */
function nameOf(order: unknown): string {
  const Named = z.object({ id: z.string(), display_id: z.number().optional() });
  const { success, data } = Named.safeParse(order);
  return success ? `order ${data.id}${data.display_id === undefined ? '' : ` (#${data.display_id})`}` : 'an order';
}

/** Returns the customer of an order, or `null`: a guest is its buyer alone. */
function customerOf({ email, customer }: MedusaOrder): string | null {
  return email === null || customer?.has_account === false ? null : customerId(email);
}

/** Returns the name of a person or an address. */
function nameIn(person: z.infer<typeof Person>): string | null {
  return [person?.first_name, person?.last_name].filter(Boolean).join(' ') || null;
}

function orderOf(order: MedusaOrder, report: Report): OrderLine {
  const { id, display_id, email, created_at, customer } = order;
  const name = nameOf(order);
  const addressOf = (kind: 'shipping' | 'billing') => {
    const given = order[`${kind}_address`];
    if (Object.keys(given?.metadata ?? {}).length > 0) report.leave(`metadata of the ${kind} address`, name);
    const { address_1: line1, address_2: line2, province: region, country_code: country, ...others } = given ?? {};
    const { company, city, postal_code, phone } = others;
    const members = { name: nameIn(given), company, line1, line2, city, region, postal_code, country, phone };
    return address(kind, members, name, report);
  };
  const currency = order.currency_code.toUpperCase();
  const taxIncluded = order.items.some(({ is_tax_inclusive }) => is_tax_inclusive);
  const rounded = report.rounded;
  const items = order.items.map((item, index) => itemOf(item, index, currency, name, report));
  const payments = order.payment_collections.flatMap((collection) => collection.payments);
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
    customer_id: customerOf(order),
    external_ids: idsOf(payments),
    buyer: buyer(
      {
        name: nameIn(customer) ?? nameIn(order.billing_address),
        company: customer?.company_name || order.billing_address?.company,
        email,
        phone: customer?.phone || order.billing_address?.phone,
      },
      report,
    ),
    shipping_address: addressOf('shipping'),
    billing_address: addressOf('billing'),
    created_at,
    ...statuses({
      paid: last(payments.map(({ captured_at }) => captured_at)),
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
    metadata: metadata({ display_id, ...order.metadata }, [METADATA_KEYS_MAX, METADATA_VALUE_LENGTH_MAX], name, report),
  };
  return report.rounded > rounded ? withRounding(line) : line;
}

/** Returns the ids that Medusa and its providers of payment have for payments. The provider `pp_stripe_stripe` is `stripe`. */
function idsOf(payments: MedusaOrder['payment_collections'][number]['payments']) {
  const ids: Record<string, (string | null | undefined)[]> = { medusa: payments.map(({ id }) => id) };
  for (const { provider_id, data } of payments) {
    const provider = /^(?:pp_)?([a-z0-9-]{1,40})/.exec(provider_id ?? '')?.[1];
    if (provider !== undefined && typeof data?.id === 'string') (ids[provider] ??= []).push(data.id);
  }
  return externalIds(ids);
}

/**
 * Returns an item of an order.
 *
 * @throws {Error} it cannot be converted, with its place and SKU
 */
function itemOf(item: Item, index: number, currency: string, order: string, report: Report) {
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
    metadata: metadata(item.metadata ?? {}, [ITEM_METADATA_KEYS_MAX, ITEM_METADATA_VALUE_LENGTH_MAX], order, report),
  };
}

/** Returns what was paid back besides the returned items, which the total lacks already. */
function refundOf(order: MedusaOrder, report: Report): number {
  const { items, payment_collections, currency_code } = order;
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
  report.leave('what was refunded besides returned items, without items.return_received_total', nameOf(order));
  return 0;
}

if (import.meta.main) {
  const report = new Report();
  await print(fromMedusa(process.argv.slice(2), report), report);
}
