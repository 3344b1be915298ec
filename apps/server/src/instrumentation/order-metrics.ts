import { CURRENCIES, minorUnits, type OrderDefinition, type OrderWritten, WITHDRAWN_CURRENCIES } from '@orders/domain';
import { Ok } from 'neverthrow';
import { Counter, type Registry } from 'prom-client';
import { metersOf } from './meters.ts';

type Written = OrderWritten<OrderDefinition>;

/**
 * Counts the orders that are placed and cancelled, and adds up their totals. The returned function receives the value of each
 * use case that succeeds. What was replayed or imported, or cancelled some items, does not count.
 */
export function measureOrders(registry: Registry): (definition: OrderDefinition, value: unknown) => void {
  const orders = metersOf(registry).counter('orders_orders_total', 'Orders placed, and cancelled as a whole', 'change');
  for (const change of ['placed', 'cancelled']) orders.inc({ change }, 0);
  const added = new Map<string, { readonly change: string; readonly currency: string; units: number }>();
  const scraped = new Set<string>();
  const amounts: Counter = new Counter({
    name: 'orders_amount_total',
    help: 'Totals of these orders at that time, in units of the currency, such as euros',
    labelNames: ['change', 'currency'],
    registers: [registry],
    // Without an initial zero the first order of a currency would be missing from a rate: the next scrape has its amount.
    collect: () => {
      for (const [key, { change, currency, units }] of added) {
        amounts.inc({ change, currency }, scraped.has(key) ? units : 0);
        if (scraped.has(key)) added.delete(key);
        scraped.add(key);
      }
    },
  });
  const count = (change: 'placed' | 'cancelled', { currency, amount }: Written['order']['total']) => {
    orders.inc({ change });
    // A later release may have stored a currency that this one does not know.
    if (!CURRENCIES.has(currency) && !WITHDRAWN_CURRENCIES.has(currency)) return;
    const key = `${change} ${currency}`;
    const units = (added.get(key)?.units ?? 0) + amount / 10 ** minorUnits(currency);
    added.set(key, { change, currency, units });
  };
  return ({ cancel, entries }, value) => {
    for (const { order, event } of writtenIn(value)) {
      if (event?.type === 'order.placed') count('placed', order.total);
      else if (event && event.type === entries[cancel]?.event) count('cancelled', order.total);
    }
  };
}

/** Returns the orders that a use case has written: one, those of a batch, or none. */
function writtenIn(value: unknown): readonly Written[] {
  if (Array.isArray(value)) return value.flatMap((each) => (each instanceof Ok ? writtenIn(each.value) : []));
  return isWritten(value) ? [value] : [];
}

function isWritten(value: unknown): value is Written {
  return typeof value === 'object' && value !== null && 'order' in value && 'event' in value;
}
