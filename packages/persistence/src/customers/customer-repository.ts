import {
  type Customer,
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
import { aggregateWrites } from '../writes/aggregate-writes.ts';
import type { Nullable } from '../writes/load-statement.ts';
import { recordedAggregate } from '../once/once-record.ts';
import type { Database } from '../database.ts';
import { answer } from '../shared/answer.ts';
import type { ConstraintFault } from '../shared/postgres-errors.ts';
import { nextPosition, pageValues } from '../shared/keyset-page.ts';
import { type CustomerRow, customerValues, toCustomer } from './customer-row.ts';
import { customerStatements } from './customer-statements.ts';

/** Customers in PostgreSQL: reads in one statement, a create in one, a change or deletion in two. */
export function postgresCustomerRepository(database: Database): CustomerRepository {
  const { orm, primary, readAnywhere } = database;
  const statements = customerStatements(orm);

  const refusal = async (
    owner: Owner,
    { email }: Customer,
    { constraint }: ConstraintFault,
  ): Promise<EmailTaken | 'again'> => {
    if (constraint !== 'customers_email_unique') return 'again';
    const customer = { owner_id: owner, email_key: emailKey(email) };
    const [holder] = await statements.holderOfEmail(primary, { customer });
    return holder ? { type: 'email_taken', customer_id: holder.id } : 'again';
  };

  const notFound = (id: string): CustomerNotFound => ({ type: 'customer_not_found', id });

  const writes = aggregateWrites<
    Customer,
    CustomerEvent,
    CustomerRow,
    CustomerWritten,
    CustomerNotFound,
    EmailTaken,
    CustomerHasOrders,
    CustomerNotFound
  >(database, {
    statements: statements.writes,
    load: statements.load,
    toAggregate: (row) => (isCustomerRow(row) ? toCustomer(row) : undefined),
    toRow: customerValues,
    withLowerIds: (customer) => {
      const id = customer.id.toLowerCase();
      return id === customer.id ? customer : { ...customer, id };
    },
    fixed: ({ id, created_at }) => ({ id, created_at }),
    beside: () => null,
    written: (customer, event, replayed) => ({ customer, event, replayed }),
    notFound,
    refusal,
    deletionRefusal: ({ constraint }) =>
      constraint === 'orders_customer_foreign' ? { type: 'customer_has_orders' } : 'again',
    recall: (recorded) => {
      const customer = recordedAggregate(recorded, isCustomer);
      return customer ? ok(customer) : err(notFound(recorded.id));
    },
  });

  return {
    insert: (owner, { customer, event }, once) => writes.insert(owner, customer, event, once),

    find: (owner, id) => {
      const find = async (): Promise<Result<Customer, CustomerNotFound>> => {
        const [row] = await statements.find(primary, { customer: { owner_id: owner, id } });
        return row ? ok(toCustomer(row)) : err(notFound(id));
      };
      return answer(find());
    },

    list: (owner, query) => {
      const list = async () => {
        const values = { query: pageValues(owner, query) };
        const rows = await readAnywhere((executor) => statements.list(query)(executor, values));
        const data = rows.map(toCustomer);
        return ok({ data, next: nextPosition(query, data, rows.at(-1)?.more ?? false) });
      };
      return answer(list());
    },

    update: (owner, id, change, once) =>
      writes.update(
        owner,
        id,
        (before) => change(before).map(({ customer, event }) => ({ aggregate: customer, event })),
        once,
      ),

    delete: (owner, id, judge, once) => writes.delete(owner, id, judge, once),
  };
}

function isCustomerRow(row: Nullable<CustomerRow>): row is CustomerRow {
  return row.id !== null;
}

function isCustomer(aggregate: object): aggregate is Customer {
  return 'email' in aggregate;
}
