import { orderKind, ORDERS } from '@orders/domain';
import { EXTENSION_COLUMNS, OrderEntity } from '../tables/order-entity.ts';
import type { StoredKind } from '../writes/aggregate-kind.ts';
import { type AggregateTable, found, raise, rowsOf } from '../writes/write-functions.ts';
import { addComment, ERASE_COMMENTS } from './order-comments.ts';
import { ORDER_LOOKUPS, setLookups } from './order-lookups.ts';
import { partsIn } from './order-parts.ts';
import { restoreOrderOf } from './order-snapshot.ts';

const NEW_CUSTOMER = { name: 'new_customer_id', type: 'uuid' };

/** The constraint of an order that gets an erased customer. */
const CUSTOMER_ERASED = 'orders_customer_erased';

const REFUSE = raise(CUSTOMER_ERASED, 'the customer is erased');

/** Whether a customer was erased later than an order, of which only an import is. */
const erasedAfter = (customer: string, order: string) => `${customer} > coalesce(${order}, '-infinity')`;

// The lock of the foreign key is held by now: an erasure that is not seen here waits for it, and finds this order. Until
// then it waits with its own lock, which is of the strongest kind because the erasure changes the unique email.
const refuseErasedCustomer = (isRefused: string) => `if p_new_customer_id is not null then
      if exists (select from our.customers
          where owner_id = p_owner_id and id = coalesce(p_new_customer_id, p_id) and ${isRefused}) then
        ${REFUSE}
      end if;
    end if;`;

/** The table of orders, for writes of orders that have custom data, or times of statuses without a column. */
export const EXTENDED_ORDER_TABLE: AggregateTable = {
  of: orderKind(ORDERS),
  table: 'orders',
  entity: OrderEntity,
  fixed: ['currency', 'created_at'],
  kept: ['items', 'adjustments', 'fulfillments'],
  moved: ['items', 'adjustments', 'fulfillments'],
  dependents: { ...ORDER_LOOKUPS, onErase: `${ORDER_LOOKUPS.onErase}\n    ${ERASE_COMMENTS}` },
  unique: 'reference',
  erases: false,
  erasure: 'keeps what is not personal',
  constraints: ['orders_reference_unique', 'orders_customer_foreign', CUSTOMER_ERASED],
  reference: {
    parameter: NEW_CUSTOMER,
    onInsert: refuseErasedCustomer(erasedAfter('erased_at', 'p_erased_at')),
    onInsertAll: `if exists (select from ${rowsOf([NEW_CUSTOMER, { name: 'erased_at', type: 'timestamptz' }])}
        where ${found('true', 'customers', `c.id = r.new_customer_id and ${erasedAfter('c.erased_at', 'r.erased_at')}`)}) then
      ${REFUSE}
    end if;`,
    onUpdate: refuseErasedCustomer('erased_at is not null'),
    column: 'customer_id',
    found: found(`json_build_object('erased_at', c.erased_at::text)`, 'customers', 'c.id = r.customer_id'),
  },
};

/** The table of orders, for writes of orders that leave the further columns as they are, as those of the default definition. */
export const ORDER_TABLE: AggregateTable = { ...EXTENDED_ORDER_TABLE, untouched: EXTENSION_COLUMNS };

/** Orders as they are stored. */
export const storedOrders: StoredKind = {
  tables: [ORDER_TABLE, EXTENDED_ORDER_TABLE],
  restoreOf: restoreOrderOf,
  functions: [setLookups, addComment],
  // From its row, or from the record of its deletion, which is its last version.
  parts: `coalesce((
              select ${partsIn('o')} from our.orders as o
              where o.owner_id = p_owner_id and o.id >= c.aggregate_id and o.id <= c.aggregate_id order by o.id limit 1
            ), (
              select ${partsIn('d')} from our.changes as d
              where d.owner_id = p_owner_id and d.aggregate = 'order' and d.aggregate_id = c.aggregate_id
              order by d.version desc limit 1
            ))`,
};
