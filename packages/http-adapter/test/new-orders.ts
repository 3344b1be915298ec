/** A valid line of a new order, of which a test says only what matters to it. */
export function aNewItem(item: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    sku: 'MUG-330-BLUE',
    name: 'Mug 330 ml, blue',
    quantity: 2,
    unit_price: { amount: 1999, currency: 'EUR' },
    ...item,
  };
}

/** A valid body for a new order, of which a test says only what matters to it. */
export function aNewOrder(order: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { items: [aNewItem()], ...order };
}

/** An id that no order has. */
export const NO_ORDER = '019b0000-ffff-7000-8000-000000000000';
