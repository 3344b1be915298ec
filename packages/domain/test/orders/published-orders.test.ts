import type { Adjustment, AdjustmentType, LineItem, Money, Order } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { aDomain, OWNER, succeeds } from '../fixtures/a-domain.ts';
import shopify from './published/shopify-order.json' with { type: 'json' };
import shopifyRefunds from './published/shopify-refunds.json' with { type: 'json' };
import square from './published/square.json' with { type: 'json' };
import ucp from './published/ucp.json' with { type: 'json' };

/** Returns the sum of the adjustments that have all these members. */
function sumOf({ adjustments }: Order, members: Partial<Adjustment>): number {
  return adjustments
    .filter((adjustment) => Object.entries(members).every(([name, value]) => Reflect.get(adjustment, name) === value))
    .reduce((sum, { amount }) => sum + amount.amount, 0);
}

function itemOf({ items }: Order, sku: string): LineItem {
  const found = items.find((item) => item.sku === sku);
  if (!found) throw new Error(`the order has no item ${sku}`);
  return found;
}

describe('an order in the documentation of Square', () => {
  it.each(square)('keeps every amount: $address', async ({ order: published }) => {
    const { line_items, discounts, taxes } = published;
    const names = new Map([...discounts, ...taxes].map(({ uid, name }) => [uid, name]));
    // A modifier is an item of its own.
    const items = line_items.flatMap((line) =>
      [line, ...line.modifiers].map(({ uid: sku, name, base_price_money: unit_price }) => ({
        sku,
        name,
        quantity: Number(line.quantity),
        unit_price,
      })),
    );
    // The discounts and taxes of the order are divided among its lines.
    const adjustments = line_items.flatMap(({ uid, applied_discounts, applied_taxes }) => {
      const item = items.findIndex(({ sku }) => sku === uid);
      return [
        ...applied_discounts.map(({ discount_uid, applied_money: { amount, currency } }) => ({
          type: 'discount',
          name: names.get(discount_uid),
          amount: { amount: -amount, currency },
          item,
        })),
        ...applied_taxes.map(({ tax_uid, applied_money: amount }) => ({
          type: 'tax',
          name: names.get(tax_uid),
          amount,
          item,
        })),
      ];
    });
    const { order } = await succeeds(aDomain().placeOrder(OWNER, { items, adjustments }));

    const money = (amount: number): Money => ({ amount, currency: order.total.currency });
    const applied = (type: AdjustmentType, of: Partial<Adjustment>) =>
      money(type === 'discount' ? 0 - sumOf(order, { type, ...of }) : sumOf(order, { type, ...of }));
    const totals = (of: Partial<Adjustment>) => ({
      total_discount_money: applied('discount', of),
      total_tax_money: applied('tax', of),
      total_service_charge_money: applied('fee', of),
    });
    const lines = line_items.map((line) => {
      const { sku: uid, id: item_id, name, quantity, unit_price, total } = itemOf(order, line.uid);
      const modifiers = line.modifiers.map((modifier) => itemOf(order, modifier.uid));
      const gross = modifiers.reduce((sum, modifier) => sum + modifier.total.amount, total.amount);
      const of = (key: string) => ({ item_id, name: names.get(key) ?? '' });
      return {
        uid,
        name,
        quantity: `${quantity}`,
        base_price_money: unit_price,
        variation_total_price_money: total,
        modifiers: modifiers.map((modifier) => ({
          uid: modifier.sku,
          name: modifier.name,
          base_price_money: modifier.unit_price,
          total_price_money: modifier.total,
        })),
        gross_sales_money: money(gross),
        applied_discounts: line.applied_discounts.map(({ discount_uid }) => ({
          discount_uid,
          applied_money: applied('discount', of(discount_uid)),
        })),
        applied_taxes: line.applied_taxes.map(({ tax_uid }) => ({
          tax_uid,
          applied_money: applied('tax', of(tax_uid)),
        })),
        ...totals({ item_id }),
        total_money: money(gross + sumOf(order, { item_id })),
      };
    });
    expect({
      line_items: lines,
      discounts: discounts.map(({ uid, name }) => ({ uid, name, applied_money: applied('discount', { name }) })),
      taxes: taxes.map(({ uid, name }) => ({ uid, name, applied_money: applied('tax', { name }) })),
      ...totals({}),
      total_tip_money: applied('other', {}),
      total_money: order.total,
      net_amounts: {
        discount_money: applied('discount', {}),
        tax_money: applied('tax', {}),
        service_charge_money: applied('fee', {}),
        tip_money: applied('other', {}),
        total_money: order.total,
      },
    }).toEqual(published);
  });
});

describe('an order in the documentation of UCP', () => {
  it.each(ucp)('keeps every amount and quantity: $address', async ({ order: published }) => {
    const domain = aDomain();
    const { currency, line_items, events, adjustments: refunds, totals } = published;
    const items = line_items.map(({ id: sku, item: { title: name, price: amount }, quantity }) => ({
      sku,
      name,
      quantity: quantity.total,
      unit_price: { amount, currency },
    }));
    const typeOf = new Map([
      ['fulfillment', 'shipping'],
      ['tax', 'tax'],
    ]);
    const adjustments = totals
      .filter(({ type }) => typeOf.has(type))
      .map(({ type: name, amount }) => ({ type: typeOf.get(name), name, amount: { amount, currency } }));
    let { order } = await succeeds(domain.placeOrder(OWNER, { items, adjustments }));
    const quantities = (lines: readonly { readonly id: string; readonly quantity: number }[]) =>
      lines.map(({ id, quantity }) => ({ item_id: itemOf(order, id).id, quantity: Math.abs(quantity) }));
    for (const { line_items: lines, tracking_number: number, tracking_url: url } of events) {
      const fulfillment = { items: quantities(lines), tracking: { number, url } };
      ({ order } = await succeeds(domain.fulfillItems(OWNER, order.id, fulfillment)));
    }
    for (const { line_items: lines, totals: parts, description: name } of refunds) {
      const back = quantities(lines);
      const [item_id] = back.map((each) => each.item_id);
      const refund = parts.map(({ amount }) => ({ type: 'refund', name, amount: { amount, currency }, item_id }));
      ({ order } = await succeeds(domain.returnItems(OWNER, order.id, { items: back, adjustments: refund })));
    }

    const skuOf = (id: string | null) => order.items.find((item) => item.id === id)?.sku;
    expect({
      line_items: order.items.map(({ sku: id, name: title, quantity, unit_price, total, ...item }) => ({
        id,
        item: { title, price: unit_price.amount },
        quantity: {
          original: quantity,
          total: quantity - item.cancelled_quantity,
          fulfilled: item.fulfilled_quantity,
        },
        totals: [
          { type: 'subtotal', amount: total.amount },
          { type: 'total', amount: total.amount },
        ],
      })),
      events: order.fulfillments.map(({ items: lines, tracking }) => ({
        line_items: lines.map(({ item_id, quantity }) => ({ id: skuOf(item_id), quantity })),
        tracking_number: tracking?.number,
        tracking_url: tracking?.url,
      })),
      adjustments: order.adjustments
        .filter(({ type }) => type === 'refund')
        .map(({ type, name: description, amount: { amount }, item_id }) => ({
          type,
          line_items: order.items
            .filter(({ id }) => id === item_id)
            .map(({ sku: id, returned_quantity }) => ({ id, quantity: -returned_quantity })),
          totals: [{ type: 'total', amount }],
          description,
        })),
      totals: [
        { type: 'subtotal', amount: order.subtotal.amount },
        { type: 'fulfillment', amount: sumOf(order, { type: 'shipping' }) },
        { type: 'tax', amount: sumOf(order, { type: 'tax' }) },
        // The published total leaves out the refunds, as that of the placed order does.
        { type: 'total', amount: order.total.amount - sumOf(order, { type: 'refund' }) },
      ],
    }).toMatchObject({ line_items, events, adjustments: refunds, totals });
  });
});

describe('an order in the documentation of Shopify', () => {
  const { order: published } = shopify;
  const { currency, line_items: lines } = published;
  const [removal, shipping] = shopifyRefunds.refunds;
  const name = published.discount_codes[0]?.code ?? '';
  const minor = (text: string) => Number(text.replace('.', ''));
  const decimal = (amount: number) => (amount / 100).toFixed(2);
  const sum = (texts: readonly string[]) => texts.reduce((total, text) => total + minor(text), 0);

  async function place() {
    const domain = aDomain();
    const money = (amount: number): Money => ({ amount, currency });
    const items = lines.map(({ price, ...line }) => ({
      sku: line.sku,
      name: line.name,
      quantity: line.quantity,
      unit_price: money(minor(price)),
    }));
    const adjustments = lines.flatMap(({ discount_allocations, tax_lines }, item) => [
      ...discount_allocations.map(({ amount }) => ({ type: 'discount', name, amount: money(-minor(amount)), item })),
      ...tax_lines.map((tax) => ({ type: 'tax', name: tax.title, amount: money(minor(tax.price)), item })),
    ]);
    const { order } = await succeeds(domain.placeOrder(OWNER, { items, adjustments }));
    return { domain, placed: order };
  }

  it('keeps every amount and quantity, also after lines are removed', async () => {
    const { domain, placed } = await place();
    const removed = (removal?.refund_line_items ?? []).map(({ line_item_id, quantity }) => {
      const sku = lines.find(({ id }) => id === line_item_id)?.sku ?? '';
      return { item_id: itemOf(placed, sku).id, quantity };
    });
    // The discounts and taxes of removed lines are reversed.
    const adjustments = placed.adjustments
      .filter(({ item_id }) => removed.some((item) => item.item_id === item_id))
      .map(({ type, amount: { amount }, ...rest }) => ({
        type,
        name: rest.name,
        amount: { amount: -amount, currency },
        item_id: rest.item_id,
      }));
    const cancellation = { items: removed, reason: removal?.note, adjustments };
    const { order } = await succeeds(domain.cancelOrder(OWNER, placed.id, cancellation));

    const part = (type: AdjustmentType, of: Partial<Adjustment>, from = placed) =>
      decimal(Math.abs(sumOf(from, { type, ...of })));
    expect({
      currency: placed.total.currency,
      line_items: lines.map(({ id, sku, discount_allocations, tax_lines }) => {
        const { id: item_id, cancelled_quantity, ...item } = itemOf(order, sku);
        return {
          id,
          name: item.name,
          sku: item.sku,
          quantity: item.quantity,
          current_quantity: item.quantity - cancelled_quantity,
          price: decimal(item.unit_price.amount),
          discount_allocations: discount_allocations.map(() => ({ amount: part('discount', { item_id }) })),
          tax_lines: tax_lines.map(({ title }) => ({ title, price: part('tax', { item_id, name: title }) })),
        };
      }),
      discount_codes: [{ code: name, amount: part('discount', { name }) }],
      tax_lines: published.tax_lines.map(({ title }) => ({ title, price: part('tax', { name: title }) })),
      total_line_items_price: decimal(placed.subtotal.amount),
      // It leaves out the discounts, whereas the current one does not.
      subtotal_price: decimal(placed.subtotal.amount),
      total_discounts: part('discount', {}),
      total_tax: part('tax', {}),
      total_shipping_price: part('shipping', {}),
      total_tip_received: part('other', {}),
      total_price: decimal(placed.total.amount),
      current_subtotal_price: decimal(order.subtotal.amount + sumOf(order, { type: 'discount' })),
      current_total_discounts: part('discount', {}, order),
      current_total_tax: part('tax', {}, order),
      current_total_price: decimal(order.total.amount),
    }).toEqual(published);
    // The subtotals of the two lines have their last cents exchanged, so that only their sum is that of the order.
    const subtotals = sum((removal?.refund_line_items ?? []).map(({ subtotal }) => subtotal));
    const taxes = sum((removal?.refund_line_items ?? []).map(({ total_tax }) => total_tax));
    expect(sumOf(placed, { type: 'tax' }) - sumOf(order, { type: 'tax' })).toBe(taxes);
    expect(placed.total.amount - order.total.amount).toBe(subtotals + taxes);
  });

  it('keeps the amounts that were paid back', async () => {
    const { domain, placed } = await place();
    let order = placed;
    for (const { note, transactions, order_adjustments } of shopifyRefunds.refunds) {
      const text = note ?? order_adjustments[0]?.reason ?? '';
      const adjustments = transactions.map(({ amount }) => ({
        type: 'refund',
        name: text,
        amount: { amount: -minor(amount), currency },
      }));
      ({ order } = await succeeds(domain.adjustOrder(OWNER, placed.id, { adjustments })));
    }
    const paidBack = order.adjustments.filter(({ type }) => type === 'refund');
    expect(paidBack.map(({ amount }) => decimal(-amount.amount))).toEqual(
      shopifyRefunds.refunds.flatMap(({ transactions }) => transactions.map(({ amount }) => amount)),
    );
    expect(decimal(sumOf(order, { type: 'refund', name: shipping?.order_adjustments[0]?.reason ?? '' }))).toBe(
      shipping?.order_adjustments[0]?.amount,
    );
    expect(order.total.amount).toBe(placed.total.amount + sumOf(order, { type: 'refund' }));
  });
});
