import {
  type Customer,
  type CustomerErased,
  type CustomerHasOrders,
  type CustomerRepository,
  type EmailTaken,
  emailKey,
  type Owner,
} from '@orders/domain';
import { ok } from 'neverthrow';
import { aggregateStore } from '../writes/aggregate-store.ts';
import { CUSTOMERS_ERASED } from '../writes/write-functions.ts';
import type { RepositoryConnections } from '../database-parts.ts';
import type { OrdersDatabase } from '../database.ts';
import { toResultAsync } from '../postgres/postgres-errors.ts';
import { pageReader } from '../sql/read-page.ts';
import { customerValues, restoreCustomer, toCustomer } from './customer-row.ts';
import { type CustomerStatements, customerStatements } from './customer-statements.ts';

/**
 * Returns the repository of customers in PostgreSQL. A read is one statement, a create one, a change or deletion two.
 */
export function postgresCustomerRepository(database: OrdersDatabase): CustomerRepository {
  return customerRepository(customerStatements(database.orm), database);
}

/**
 * Returns the repository of customers over these connections.
 *
 * @internal
 */
export function customerRepository(
  statements: CustomerStatements,
  connections: RepositoryConnections,
): CustomerRepository {
  const findRefusal = async (
    owner: Owner,
    after: Customer | null,
    constraint: string,
  ): Promise<EmailTaken | CustomerHasOrders | CustomerErased | 'gone'> => {
    if (constraint === 'orders_customer_foreign') return { type: 'customer_has_orders' };
    if (constraint === CUSTOMERS_ERASED) return { type: 'customer_erased' };
    if (constraint !== 'customers_email_unique' || !after || after.email === null) return 'gone';
    const customer = { owner_id: owner, email_key: emailKey(after.email) };
    const [holder] = await statements.byEmail(connections.primary, { customer });
    return holder ? { type: 'email_taken', customer_id: holder.id } : 'gone';
  };

  const store = aggregateStore(connections, {
    statements,
    toAggregate: toCustomer,
    toColumns: customerValues,
    toSnapshot: (customer: Customer) => customer,
    restore: restoreCustomer,
    findRefusal,
  });

  return {
    ...store,

    list: pageReader(connections, statements.list, toCustomer),

    // A search is a list, which a replica may serve.
    findByEmail: (owner, email_key) => {
      const customer = { owner_id: owner, email_key };
      const found = connections.readAnywhere((executor) => statements.byEmail(executor, { customer }));
      return toResultAsync(found.then(([row]) => ok(row ? toCustomer(row) : null)));
    },

    finishErasure: (owner, id) =>
      toResultAsync(
        statements.finishErasure(connections.primary, { target: { owner_id: owner, id } }).then((rows) => ok(rows)),
      ).andThen((rows) =>
        rows.length === 0 ? ok(null) : store.load(owner, id).map((loaded) => loaded && loaded.aggregate),
      ),
  };
}
