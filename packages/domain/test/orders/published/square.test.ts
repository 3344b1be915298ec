import type { Adjustment, AdjustmentType, Money } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { moved, inUtc, toOurs, toTheirs, sumOf, only } from './moved.ts';
import square from './square.json' with { type: 'json' };

describe('an order in the documentation of Square', () => {
  const TRACKING = { carrier: 'carrier', number: 'tracking_number', url: 'tracking_url' };
  const BUYER = { name: 'display_name', email: 'email_address', phone: 'phone_number' };
  const ADDRESS = {
    line1: 'address_line_1',
    line2: 'address_line_2',
    city: 'locality',
    region: 'administrative_district_level_1',
    postal_code: 'postal_code',
    country: 'country',
  };

  it('comes back with every amount, the buyer, the address and the ids', async () => {
    const { order: published } = square;
    const { line_items, discounts, taxes } = published;
    const names = new Map([...discounts, ...taxes].map(({ uid, name }) => [uid, name]));
    const { shipment_details: shipment } = only(published.fulfillments);
    const tender = only(published.tenders);
    // A modifier is an item of its own.
    const items = line_items.flatMap((line) =>
      [line, ...line.modifiers].map(({ uid: sku, name, base_price_money: unit_price, ...more }) => ({
        sku,
        name,
        quantity: Number(line.quantity),
        unit_price,
        metadata:
          'catalog_object_id' in more
            ? { catalog_object_id: more.catalog_object_id, variation_name: more.variation_name }
            : {},
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
    const order = await moved({
      reference: published.reference_id,
      external_ids: {
        square: [published.id],
        square_customer: [published.customer_id],
        square_tender: [tender.id],
        square_payment: [tender.payment_id],
      },
      created_at: published.created_at,
      items,
      adjustments,
      metadata: published.metadata,
      buyer: toOurs(BUYER, shipment.recipient),
      shipping_address: toOurs(ADDRESS, shipment.recipient.address),
      fulfillments: [
        {
          created_at: shipment.shipped_at,
          items: items.map(({ quantity }, item) => ({ item, quantity })),
          tracking: toOurs(TRACKING, shipment),
        },
      ],
    });

    const money = (amount: number): Money => ({ amount, currency: order.total.currency });
    const applied = (type: AdjustmentType, of: Partial<Adjustment>) =>
      money(type === 'discount' ? 0 - sumOf(order, { type, ...of }) : sumOf(order, { type, ...of }));
    const totals = (of: Partial<Adjustment>) => ({
      total_discount_money: applied('discount', of),
      total_tax_money: applied('tax', of),
      total_service_charge_money: applied('fee', of),
    });
    const itemOf = (uid: string) => only(order.items.filter(({ sku }) => sku === uid));
    const lines = line_items.map((line) => {
      const { sku: uid, id: item_id, name, quantity, unit_price, total, metadata } = itemOf(line.uid);
      const modifiers = line.modifiers.map((modifier) => itemOf(modifier.uid));
      const gross = modifiers.reduce((sum, modifier) => sum + modifier.total.amount, total.amount);
      const of = (key: string) => ({ item_id, name: names.get(key) ?? '' });
      return {
        uid,
        name,
        ...metadata,
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
    const idIn = (system: string) => only(order.external_ids[system] ?? []);
    expect({
      id: idIn('square'),
      reference_id: order.reference,
      customer_id: idIn('square_customer'),
      created_at: order.created_at,
      metadata: order.metadata,
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
      fulfillments: order.fulfillments.map(({ created_at: shipped_at, tracking }) => ({
        type: 'SHIPMENT',
        state: 'COMPLETED',
        shipment_details: {
          recipient: { ...toTheirs(BUYER, order.buyer), address: toTheirs(ADDRESS, order.shipping_address) },
          ...toTheirs(TRACKING, tracking),
          shipped_at,
        },
      })),
      tenders: [{ id: idIn('square_tender'), payment_id: idIn('square_payment') }],
    }).toEqual(inUtc(published));
  });
});
