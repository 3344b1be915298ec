import {
  type Customer,
  type CustomerDecision,
  type CustomerEvent,
  type CustomerHasOrders,
  type CustomerNotFound,
  type CustomerRepository,
  type CustomerWritten,
  type EmailTaken,
  emailKey,
  type Owner,
} from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import type { AggregateTypes } from '../writes/aggregate-kind.ts';
import { aggregateWrites } from '../writes/aggregate-writes.ts';
import type { RepositoryConnections } from '../database-parts.ts';
import type { OrdersDatabase } from '../database.ts';
import type { RecordedWrite } from '../idempotency/idempotency-statements.ts';
import { type ConstraintFault, toResultAsync } from '../shared/postgres-errors.ts';
import { nextPosition, pageValues } from '../shared/keyset-page.ts';
import { type CustomerRow, customerValues, restoreCustomer, toCustomer } from './customer-row.ts';
import { type CustomerStatements, customerStatements } from './customer-statements.ts';

interface CustomerTypes extends AggregateTypes {
  readonly aggregate: Customer;
  readonly event: CustomerEvent;
  readonly decision: Pick<CustomerDecision, 'customer'>;
  readonly written: CustomerWritten;
  readonly row: CustomerRow;
  readonly recorded: RecordedWrite;
  readonly notFound: CustomerNotFound;
  readonly noRoom: never;
  readonly conflict: EmailTaken;
  readonly deletionConflict: CustomerHasOrders;
  readonly erased: CustomerNotFound;
}

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

  const conflict = async (
    owner: Owner,
    { email }: Customer,
    { constraint }: ConstraintFault,
  ): Promise<EmailTaken | 'retry'> => {
    if (constraint !== 'customers_email_unique') return 'retry';
    const customer = { owner_id: owner, email_key: emailKey(email) };
    const [holder] = await statements.holderOfEmail(primary, { customer });
    return holder ? { type: 'email_taken', customer_id: holder.id } : 'retry';
  };

  const notFound = (id: string): CustomerNotFound => ({ type: 'customer_not_found', id });

  const writes = aggregateWrites<CustomerTypes>(connections, {
    name: 'customer',
    load: statements.find,
    lock: statements.lock,
    write: statements.write,
    keys: statements.keys,
    aggregateOf: ({ customer }) => customer,
    toAggregate: toCustomer,
    toRow: customerValues,
    toNewRow: customerValues,
    toSnapshot: (customer) => customer,
    restore: restoreCustomer,
    withLowerIds: (customer) => {
      const id = customer.id.toLowerCase();
      return id === customer.id ? customer : { ...customer, id };
    },
    fixed: ({ id, created_at }) => ({ id, created_at }),
    written: (customer, event, replayed) => ({ customer, event, replayed }),
    notFound,
    conflict,
    deletionConflict: ({ constraint }) =>
      constraint === 'orders_customer_foreign' ? { type: 'customer_has_orders' } : 'retry',
    erased: notFound,
  });

  return {
    ...writes,

    find: (owner, id) => {
      const find = async (): Promise<Result<Customer, CustomerNotFound>> => {
        const [row] = await statements.find(primary, { target: { owner_id: owner, id } });
        return row ? ok(toCustomer(row)) : err(notFound(id));
      };
      return toResultAsync(find());
    },

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
