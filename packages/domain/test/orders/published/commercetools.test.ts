import type { Adjustment, Order } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { moved, sumOf, only } from './moved.ts';
import commercetools from './commercetools.json' with { type: 'json' };

describe('an order in the documentation of commercetools', () => {
  it('comes back with every amount, the customer, both addresses and the ids', async () => {
    const { order: published } = commercetools;
    const { shippingInfo: shipping, taxedPrice } = published;
    type Price = typeof published.totalPrice;
    const money = ({ centAmount: amount, currencyCode: currency }: Price) => ({ amount, currency });
    const taxOf = ({ totalGross, totalNet }: { readonly totalGross: Price; readonly totalNet: Price }) =>
      money({ ...totalGross, centAmount: totalGross.centAmount - totalNet.centAmount });
    const addressOf = ({
      firstName,
      lastName,
      streetName,
      streetNumber,
      building,
      pOBox,
      postalCode,
      city,
      country,
    }: typeof published.shippingAddress) => ({
      name: `${firstName} ${lastName}`,
      line1: `${streetName} ${streetNumber}`,
      line2: `${building}, ${pOBox}`,
      postal_code: postalCode,
      city,
      country,
    });
    const taxName = only(taxedPrice.taxPortions).name;
    const order = await moved(
      {
        id: published.id,
        version: published.version,
        customer_id: published.customerId,
        created_at: published.createdAt,
        updated_at: published.lastModifiedAt,
        external_ids: { commercetools_cart: [published.cart.id] },
        buyer: { email: published.customerEmail },
        shipping_address: addressOf(published.shippingAddress),
        billing_address: addressOf(published.billingAddress),
        items: published.lineItems.map(({ id, productId, variant, name, quantity, price }) => ({
          id,
          sku: variant.sku,
          name: name.en,
          quantity,
          unit_price: money(price.value),
          metadata: { productId },
        })),
        adjustments: [
          { type: 'shipping', name: shipping.shippingMethodName, amount: money(shipping.price) },
          {
            type: 'tax',
            name: shipping.taxRate.name,
            amount: taxOf(shipping.taxedPrice),
            included: shipping.taxRate.includedInPrice,
          },
          ...published.lineItems.map((line, item) => ({
            type: 'tax',
            name: line.taxRate.name,
            amount: taxOf(line.taxedPrice),
            included: line.taxRate.includedInPrice,
            item,
          })),
        ],
      },
      { id: published.customerId, email: 'jane@example.com', created_at: published.createdAt },
    );

    const cents = (centAmount: number) => ({ currencyCode: order.total.currency, centAmount });
    const taxed = (gross: number, tax: number) => ({ totalNet: cents(gross - tax), totalGross: cents(gross) });
    const taxIn = (item_id: string | null) =>
      only(order.adjustments.filter((each) => each.type === 'tax' && each.item_id === item_id));
    const rateOf = ({ name, included }: Adjustment) => ({ name, includedInPrice: included });
    const post = only(order.adjustments.filter(({ type }) => type === 'shipping'));
    const addressIn = (address: Order['shipping_address']) => {
      const [, streetName, streetNumber] = /^(.*) (\S+)$/.exec(address?.line1 ?? '') ?? [];
      const [building, pOBox] = address?.line2?.split(', ') ?? [];
      const [firstName, lastName] = address?.name?.split(' ') ?? [];
      const { postal_code: postalCode, city, country } = address ?? {};
      return { firstName, lastName, streetName, streetNumber, building, pOBox, postalCode, city, country };
    };
    expect({
      id: order.id,
      version: order.version,
      customerId: order.customer_id,
      customerEmail: order.buyer?.email,
      createdAt: order.created_at,
      lastModifiedAt: order.updated_at,
      totalPrice: cents(order.total.amount),
      taxedPrice: {
        ...taxed(order.total.amount, sumOf(order, { type: 'tax', included: true })),
        taxPortions: [{ name: taxName, amount: cents(sumOf(order, { type: 'tax', name: taxName })) }],
      },
      shippingInfo: {
        shippingMethodName: post.name,
        price: cents(post.amount.amount),
        taxRate: rateOf(taxIn(null)),
        taxedPrice: taxed(post.amount.amount, taxIn(null).amount.amount),
      },
      lineItems: order.items.map(({ id, sku, name, quantity, unit_price, total, metadata }) => ({
        id,
        ...metadata,
        name: { en: name },
        variant: { sku },
        price: { value: cents(unit_price.amount) },
        quantity,
        taxRate: rateOf(taxIn(id)),
        totalPrice: cents(total.amount),
        taxedPrice: taxed(total.amount, taxIn(id).amount.amount),
      })),
      cart: { typeId: 'cart', id: only(order.external_ids['commercetools_cart'] ?? []) },
      shippingAddress: addressIn(order.shipping_address),
      billingAddress: addressIn(order.billing_address),
    }).toEqual(published);
  });
});
