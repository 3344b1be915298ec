import type { Adjustment, AdjustmentType, Money } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { moved, inUtc, toOurs, toTheirs, sumOf, only, lineOf } from './moved.ts';
import shopify from './shopify-order.json' with { type: 'json' };
import shopifyRefunds from './shopify-refunds.json' with { type: 'json' };

describe('an order in the documentation of Shopify', () => {
  const TRACKING = { carrier: 'tracking_company', number: 'tracking_number', url: 'tracking_url' };
  const ADDRESS = {
    name: 'name',
    company: 'company',
    line1: 'address1',
    line2: 'address2',
    city: 'city',
    postal_code: 'zip',
    region: 'province_code',
    country: 'country_code',
    phone: 'phone',
  };
  const { order: published } = shopify;
  const { currency, line_items: lines } = published;
  const [removal, shipping] = shopifyRefunds.refunds;
  const { code } = only(published.discount_codes);
  const minor = (text: string) => Number(text.replace('.', ''));
  const decimal = (amount: number) => (amount / 100).toFixed(2);
  const sum = (texts: readonly string[]) => texts.reduce((total, text) => total + minor(text), 0);
  const money = (amount: number): Money => ({ amount, currency });
  type Pair = (typeof published.note_attributes)[number];
  const fromPairs = (pairs: readonly Pair[]) => Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
  const toPairs = (texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).map(([name, value]) => ({ name, value }));
  const charges = lines.flatMap(({ discount_allocations, tax_lines }, item) => [
    ...discount_allocations.map(({ amount }) => ({
      type: 'discount',
      name: code,
      amount: money(-minor(amount)),
      item,
    })),
    ...tax_lines.map((tax) => ({ type: 'tax', name: tax.title, amount: money(minor(tax.price)), item })),
  ]);

  /** Moves the order with further adjustments, and without the items at some indexes. */
  const movedWith = async (further: readonly object[], removed: readonly number[] = []) =>
    await moved({
      reference: published.name,
      external_ids: { shopify: [`${published.id}`], checkout: [`${published.checkout_id}`], po: [published.po_number] },
      created_at: published.created_at,
      buyer: { email: published.email, phone: published.phone },
      shipping_address: toOurs(ADDRESS, published.shipping_address),
      billing_address: toOurs(ADDRESS, published.billing_address),
      metadata: fromPairs(published.note_attributes),
      items: lines.map(({ id, price, properties, sku, name, quantity }, item) => ({
        sku,
        name,
        quantity,
        cancelled_quantity: removed.includes(item) ? quantity : 0,
        unit_price: money(minor(price)),
        metadata: { ...fromPairs(properties), id: `${id}` },
      })),
      fulfillments: published.fulfillments.map(({ created_at, line_items, ...fulfillment }) => ({
        created_at,
        cancelled_at: fulfillment.status === 'failure' ? created_at : null,
        items: line_items.map(({ id, quantity }) => ({ item: lines.findIndex((line) => line.id === id), quantity })),
        tracking: toOurs(TRACKING, fulfillment),
      })),
      adjustments: [...charges, ...further],
    });

  it('comes back with every amount, who buys, the addresses, the properties and the ids, also after lines are removed', async () => {
    const removed = (removal?.refund_line_items ?? []).map((part) =>
      lines.findIndex(({ id }) => id === part.line_item_id),
    );
    // The discounts and taxes of removed lines are reversed.
    const reversed = charges.filter(({ item }) => removed.includes(item));
    const order = await movedWith(
      reversed.map((charge) => ({ ...charge, amount: money(-charge.amount.amount) })),
      removed,
    );

    const added = (type: AdjustmentType, of: Partial<Adjustment> = {}) =>
      sumOf({ adjustments: order.adjustments.slice(0, charges.length) }, { type, ...of });
    const part = (type: AdjustmentType, of: Partial<Adjustment> = {}) => decimal(Math.abs(added(type, of)));
    const ordered = order.items.reduce((total, { quantity, unit_price }) => total + quantity * unit_price.amount, 0);
    const totalPrice = ordered + added('discount') + added('tax');
    const idIn = (system: string) => only(order.external_ids[system] ?? []);
    expect({
      id: Number(idIn('shopify')),
      name: order.reference,
      created_at: order.created_at,
      email: order.buyer?.email,
      phone: order.buyer?.phone,
      po_number: idIn('po'),
      checkout_id: Number(idIn('checkout')),
      note_attributes: toPairs(order.metadata),
      currency: order.total.currency,
      line_items: order.items.map(({ id: item_id, sku, quantity, unit_price, ...item }) => {
        const { id, ...properties } = item.metadata;
        const of = order.adjustments.slice(0, charges.length).filter((each) => each.item_id === item_id);
        return {
          id: Number(id),
          name: item.name,
          sku,
          quantity,
          current_quantity: quantity - item.cancelled_quantity,
          price: decimal(unit_price.amount),
          discount_allocations: of
            .filter(({ type }) => type === 'discount')
            .map(({ amount }) => ({ amount: decimal(-amount.amount) })),
          tax_lines: of
            .filter(({ type }) => type === 'tax')
            .map(({ name: title, amount }) => ({ title, price: decimal(amount.amount) })),
          properties: toPairs(properties),
        };
      }),
      discount_codes: [{ code, amount: part('discount', { name: code }) }],
      tax_lines: published.tax_lines.map(({ title }) => ({ title, price: part('tax', { name: title }) })),
      total_line_items_price: decimal(ordered),
      // It leaves out the discounts, whereas the current one does not.
      subtotal_price: decimal(ordered),
      total_discounts: part('discount'),
      total_tax: part('tax'),
      total_shipping_price: part('shipping'),
      total_tip_received: part('other'),
      total_price: decimal(totalPrice),
      current_subtotal_price: decimal(order.subtotal.amount + sumOf(order, { type: 'discount' })),
      current_total_discounts: decimal(-sumOf(order, { type: 'discount' })),
      current_total_tax: decimal(sumOf(order, { type: 'tax' })),
      current_total_price: decimal(order.total.amount),
      fulfillments: order.fulfillments.map(({ created_at, cancelled_at, tracking, items }) => ({
        created_at,
        status: cancelled_at === null ? 'success' : 'failure',
        ...toTheirs(TRACKING, tracking),
        line_items: items.map(({ item_id, quantity }) => ({
          id: Number(lineOf(order, item_id).metadata['id']),
          quantity,
        })),
      })),
      billing_address: { ...toTheirs(ADDRESS, order.billing_address), address2: order.billing_address?.line2 ?? '' },
      shipping_address: { ...toTheirs(ADDRESS, order.shipping_address), address2: order.shipping_address?.line2 ?? '' },
    }).toEqual(inUtc(published));
    // The subtotals of the two lines have their last cents exchanged, so that only their sum is that of the order.
    const subtotals = sum((removal?.refund_line_items ?? []).map(({ subtotal }) => subtotal));
    const taxes = sum((removal?.refund_line_items ?? []).map(({ total_tax }) => total_tax));
    expect(added('tax') - sumOf(order, { type: 'tax' })).toBe(taxes);
    expect(totalPrice - order.total.amount).toBe(subtotals + taxes);
  });

  it('keeps the amounts that were paid back', async () => {
    const refunds = shopifyRefunds.refunds.flatMap(({ note, transactions, order_adjustments }) =>
      transactions.map(({ amount }) => ({
        type: 'refund',
        name: note ?? only(order_adjustments).reason,
        amount: money(-minor(amount)),
      })),
    );
    const order = await movedWith(refunds);
    const paidBack = order.adjustments.filter(({ type }) => type === 'refund');
    expect(paidBack.map(({ amount }) => decimal(-amount.amount))).toEqual(
      shopifyRefunds.refunds.flatMap(({ transactions }) => transactions.map(({ amount }) => amount)),
    );
    const { reason = '', amount } = shipping?.order_adjustments[0] ?? {};
    expect(decimal(sumOf(order, { type: 'refund', name: reason }))).toBe(amount);
    expect(decimal(order.total.amount - sumOf(order, { type: 'refund' }))).toBe(published.total_price);
  });
});
