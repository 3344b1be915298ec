import { isRefusedAsErased, newCustomerOf } from '../../orders/order-rules.ts';
import { withoutPersonalData } from '../../orders/erase-order.ts';
import { orderKind } from '../../orders/order-kind.ts';
import { type OrderDefinition, ORDERS } from '../../orders/order-lifecycle.ts';
import { emailKey } from '../../customers/customer.ts';
import { customerKind } from '../../customers/customer-kind.ts';
import type { StoreParts } from './in-memory-aggregates.ts';
import { InMemoryCustomers } from './in-memory-customers.ts';
import type { AnyEvent } from './in-memory-feed.ts';
import { InMemoryOrders } from './in-memory-orders.ts';

/** The aggregates that a transaction writes. */
export interface OrdersAndCustomers {
  readonly orders: InMemoryOrders;
  readonly customers: InMemoryCustomers;
}

/** Creates empty orders and customers, with the rules between them. */
export function ordersAndCustomers(
  parts: StoreParts,
  publish: (event: AnyEvent) => void,
  definition: OrderDefinition,
): OrdersAndCustomers {
  const rules: ConstructorParameters<typeof InMemoryOrders>[1] = {
    name: orderKind(ORDERS).name,
    rulesOf: (owner, write) => {
      if (write.kind === 'delete') return {};
      const { id, customer_id, reference } = write.after;
      const added = newCustomerOf(write);
      return {
        unknown_customer: () =>
          customer_id !== null && !customers.has(owner, customer_id) ? { type: 'unknown_customer' } : null,
        customer_erased: () =>
          added && isRefusedAsErased(added, customers.find(owner, added.id)?.erased_at ?? null)
            ? { type: 'customer_erased' }
            : null,
        reference_taken: () => {
          if (reference === null) return null;
          const holder = orders.all(owner).find((other) => other.reference === reference && other.id !== id);
          return holder ? { type: 'reference_taken', order_id: holder.id } : null;
        },
      };
    },
    erases: false,
    toErased: withoutPersonalData,
    publish,
  };
  const orders: InMemoryOrders = new InMemoryOrders(parts, rules, definition);

  const customers: InMemoryCustomers = new InMemoryCustomers(parts, {
    name: customerKind.name,
    rulesOf: (owner, write) => {
      if (write.kind === 'delete') {
        const { id, erased_at } = write.before.aggregate;
        return {
          customer_has_orders: () =>
            orders.all(owner).some((order) => order.customer_id === id) ? { type: 'customer_has_orders' } : null,
          customer_erased: () => (erased_at === null ? null : { type: 'customer_erased' }),
        };
      }
      const { id, email } = write.after;
      return {
        email_taken: () => {
          const holder = email === null ? undefined : customers.holderOf(owner, emailKey(email), id);
          return holder ? { type: 'email_taken', customer_id: holder.id } : null;
        },
      };
    },
    erases: true,
    toErased: () => null,
    publish,
  });
  return { orders, customers };
}
