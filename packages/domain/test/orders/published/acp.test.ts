import { describe, expect, it } from 'vitest';
import { moved, inUtc, toOurs, toTheirs, sumOf, only, toItems, lineOf } from './moved.ts';
import acp from './acp.json' with { type: 'json' };

describe('an order in the documentation of ACP', () => {
  const TRACKING = { carrier: 'carrier', number: 'tracking_number', url: 'tracking_url' };
  const ADDRESS = {
    name: 'name',
    line1: 'line_one',
    line2: 'line_two',
    city: 'city',
    region: 'state',
    country: 'country',
    postal_code: 'postal_code',
  };

  const PROPERTIES = ['id', 'description', 'image_url', 'url'];

  it.each(acp)(
    'comes back with every amount and quantity, the address and the ids: $address',
    async ({ order: published }) => {
      const { line_items } = published;
      const currency = 'USD';
      const shipment = only(published.fulfillments);
      const { destination }: { readonly carrier: string; readonly destination?: object } = shipment;
      const at = (event: string) => shipment.events.find(({ type }) => type === event)?.occurred_at;
      const order = await moved({
        reference: published.id,
        external_ids: {
          checkout_session: [published.checkout_session_id],
          confirmation: published.confirmation ? [published.confirmation.confirmation_number] : null,
        },
        metadata: { permalink_url: published.permalink_url, order_number: published.order_number },
        created_at: at('shipped'),
        status: 'delivered',
        paid_at: at('shipped'),
        shipped_at: at('shipped'),
        delivered_at: at('delivered'),
        items: line_items.map(({ product_id: sku, title: name, quantity, unit_price: amount, ...line }) => ({
          sku,
          name,
          quantity: quantity.ordered,
          cancelled_quantity: quantity.ordered - quantity.current,
          returned_quantity: published.adjustments
            .flatMap((each) => each.line_items)
            .filter(({ id }) => id === line.id)
            .reduce((sum, line) => sum + line.quantity, 0),
          unit_price: { amount, currency },
          metadata: Object.fromEntries(Object.entries(line).filter(([member]) => PROPERTIES.includes(member))),
        })),
        shipping_address: destination ? toOurs(ADDRESS, destination) : null,
        fulfillments: [{ items: toItems(line_items, shipment.line_items), tracking: toOurs(TRACKING, shipment) }],
        adjustments: [
          ...published.totals
            .filter(({ type }) => type === 'tax')
            .map(({ display_text: name, amount }) => ({ type: 'tax', name, amount: { amount, currency } })),
          ...published.adjustments.map(({ type, occurred_at: created_at, description: name, amount, ...refund }) => ({
            type,
            created_at,
            name,
            amount: { amount: -amount, currency: refund.currency.toUpperCase() },
            item: only(toItems(line_items, refund.line_items)).item,
          })),
        ],
      });

      const refunded = 0 - sumOf(order, { type: 'refund' });
      const { checkout_session, confirmation } = order.external_ids;
      expect({
        id: order.reference,
        checkout_session_id: only(checkout_session ?? []),
        ...order.metadata,
        status: order.status === 'delivered' ? 'completed' : order.status,
        line_items: order.items.map(
          ({ sku: product_id, name: title, quantity, fulfilled_quantity: fulfilled, ...item }) => ({
            ...item.metadata,
            title,
            product_id,
            quantity: { ordered: quantity, current: quantity - item.cancelled_quantity, fulfilled },
            unit_price: item.unit_price.amount,
            subtotal: item.total.amount,
            status: fulfilled === quantity ? 'fulfilled' : 'processing',
          }),
        ),
        fulfillments: order.fulfillments.map(({ items, tracking }) => ({
          line_items: items.map(({ item_id, quantity }) => ({ id: lineOf(order, item_id).metadata['id'], quantity })),
          ...toTheirs(TRACKING, tracking),
          ...(order.shipping_address && { destination: toTheirs(ADDRESS, order.shipping_address) }),
          events: [
            { type: 'shipped', occurred_at: order.shipped_at },
            { type: 'delivered', occurred_at: order.delivered_at },
          ],
        })),
        totals: [
          { type: 'subtotal', display_text: 'Subtotal', amount: order.subtotal.amount },
          ...order.adjustments
            .filter(({ type }) => type === 'tax')
            .map(({ type, name: display_text, amount: { amount } }) => ({ type, display_text, amount })),
          { type: 'total', display_text: 'Total', amount: order.total.amount + refunded },
          ...(refunded > 0 ? [{ type: 'amount_refunded', display_text: 'Refunded', amount: refunded }] : []),
        ],
        confirmation: confirmation && { confirmation_number: only(confirmation) },
        adjustments: order.adjustments
          .filter(({ type }) => type === 'refund')
          .map(({ type, created_at: occurred_at, name: description, amount, item_id }) => ({
            type,
            occurred_at,
            line_items: [lineOf(order, item_id)].map((line) => ({
              id: line.metadata['id'],
              quantity: line.returned_quantity,
            })),
            amount: -amount.amount,
            currency: amount.currency.toLowerCase(),
            description,
          })),
      }).toEqual(inUtc(published));
    },
  );
});
