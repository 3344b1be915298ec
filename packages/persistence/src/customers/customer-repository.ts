import {
  type Customer,
  type CustomerHasOrders,
  type CustomerRepository,
  type EmailTaken,
  emailKey,
  type Owner,
} from '@orders/domain';
import { ok } from 'neverthrow';
import { aggregateStore } from '../writes/aggregate-store.ts';
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
  ): Promise<EmailTaken | CustomerHasOrders | 'gone'> => {
    if (constraint === 'orders_customer_foreign') return { type: 'customer_has_orders' };
    if (constraint !== 'customers_email_unique' || after === null) return 'gone';
    const customer = { owner_id: owner, email_key: emailKey(after.email) };
    const [holder] = await statements.byEmail(connections.primary, { customer });
    return holder ? { type: 'email_taken', customer_id: holder.id } : 'gone';
  };

  return {
    ...aggregateStore(connections, {
      statements,
      toAggregate: toCustomer,
      toColumns: customerValues,
      toSnapshot: (customer: Customer) => customer,
      restore: restoreCustomer,
      findRefusal,
    }),

    list: pageReader(connections, statements.list, toCustomer),

    // A search is a list, which a replica may serve.
    findByEmail: (owner, email_key) => {
      const customer = { owner_id: owner, email_key };
      const found = connections.readAnywhere((executor) => statements.byEmail(executor, { customer }));
      return toResultAsync(found.then(([row]) => ok(row ? toCustomer(row) : null)));
    },
  };
}
