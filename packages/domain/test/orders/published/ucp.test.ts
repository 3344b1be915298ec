import { describe, expect, it } from 'vitest';
import { moved, inUtc, toOurs, toTheirs, sumOf, only, toItems, lineOf } from './moved.ts';
import ucp from './ucp.json' with { type: 'json' };

describe('an order in the documentation of UCP', () => {
  const TRACKING = { number: 'tracking_number', url: 'tracking_url' };
  const ADDRESS = {
    line1: 'street_address',
    city: 'address_locality',
    region: 'address_region',
    country: 'address_country',
    postal_code: 'postal_code',
  };

  it('comes back with every amount and quantity, the destination and the ids', async () => {
    const { order: published } = ucp;
    const { currency, line_items, fulfillment } = published;
    const backOf = (id: string) =>
      published.adjustments.flatMap((each) => each.line_items).filter((line) => line.id === id);
    const typeOf = new Map([
      ['fulfillment', 'shipping'],
      ['tax', 'tax'],
    ]);
    const order = await moved({
      reference: published.id,
      external_ids: { checkout: [published.checkout_id] },
      metadata: { permalink_url: published.permalink_url },
      created_at: fulfillment.events[0]?.occurred_at,
      items: line_items.map(({ id, item: { id: sku, title: name, price: amount }, quantity }) => ({
        sku,
        name,
        quantity: quantity.original,
        cancelled_quantity: quantity.original - quantity.total,
        returned_quantity: backOf(id).reduce((sum, line) => sum - line.quantity, 0),
        unit_price: { amount, currency },
        metadata: { id },
      })),
      shipping_address: toOurs(ADDRESS, only(fulfillment.expectations).destination),
      fulfillments: fulfillment.events.map((event) => ({
        created_at: event.occurred_at,
        items: toItems(line_items, event.line_items),
        tracking: toOurs(TRACKING, event),
      })),
      adjustments: [
        ...published.totals
          .filter(({ type }) => typeOf.has(type))
          .map(({ type: name, amount }) => ({ type: typeOf.get(name), name, amount: { amount, currency } })),
        ...published.adjustments.map(({ type, occurred_at: created_at, description: name, ...refund }) => ({
          type,
          created_at,
          name,
          amount: { amount: only(refund.totals).amount, currency },
          item: only(toItems(line_items, refund.line_items)).item,
        })),
      ],
    });

    expect({
      id: order.reference,
      checkout_id: only(order.external_ids['checkout'] ?? []),
      ...order.metadata,
      currency: order.total.currency,
      line_items: order.items.map(
        ({ sku, name: title, quantity, fulfilled_quantity: fulfilled, unit_price, ...item }) => ({
          ...item.metadata,
          item: { id: sku, title, price: unit_price.amount },
          quantity: { original: quantity, total: quantity - item.cancelled_quantity, fulfilled },
          totals: [
            { type: 'subtotal', amount: item.total.amount },
            { type: 'total', amount: item.total.amount },
          ],
          status: fulfilled === quantity ? 'fulfilled' : 'processing',
        }),
      ),
      fulfillment: {
        expectations: [{ destination: toTheirs(ADDRESS, order.shipping_address) }],
        events: order.fulfillments.map(({ created_at: occurred_at, items, tracking }) => ({
          occurred_at,
          line_items: items.map(({ item_id, quantity }) => ({ ...lineOf(order, item_id).metadata, quantity })),
          ...toTheirs(TRACKING, tracking),
        })),
      },
      adjustments: order.adjustments
        .filter(({ type }) => type === 'refund')
        .map(({ type, created_at: occurred_at, name: description, amount: { amount }, item_id }) => ({
          type,
          occurred_at,
          line_items: [lineOf(order, item_id)].map((line) => ({ ...line.metadata, quantity: -line.returned_quantity })),
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
    }).toEqual(inUtc(published));
  });
});
