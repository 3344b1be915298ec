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
import { nextPosition, pageValues } from '../sql/keyset-page.ts';
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
  const { primary, readAnywhere } = connections;

  const findRefusal = async (
    owner: Owner,
    after: Customer | null,
    constraint: string,
  ): Promise<EmailTaken | CustomerHasOrders | 'gone'> => {
    if (constraint === 'orders_customer_foreign') return { type: 'customer_has_orders' };
    if (constraint !== 'customers_email_unique' || after === null) return 'gone';
    const customer = { owner_id: owner, email_key: emailKey(after.email) };
    const [holder] = await statements.holderOfEmail(primary, { customer });
    return holder ? { type: 'email_taken', customer_id: holder.id } : 'gone';
  };

  return {
    ...aggregateStore(connections, {
      name: 'customer',
      load: statements.find,
      lock: statements.lock,
      write: statements.write,
      keys: statements.keys,
      toAggregate: toCustomer,
      toColumns: customerValues,
      toSnapshot: (customer: Customer) => customer,
      restore: restoreCustomer,
      findRefusal,
    }),

    list: (owner, query) => {
      const list = async () => {
        const values = { query: pageValues(owner, query) };
        const rows = await readAnywhere((executor) => statements.list(query)(executor, values));
        const data = rows.map(toCustomer);
        return ok({ data, next: nextPosition(query, data, rows.at(-1)?.more ?? false) });
      };
      return toResultAsync(list());
    },
  };
}
