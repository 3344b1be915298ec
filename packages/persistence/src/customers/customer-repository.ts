import {
  type ConflictChecks,
  type Customer,
  type CustomerErased,
  type CustomerEvent,
  type CustomerHasOrders,
  type CustomerRepository,
  type EmailTaken,
  type Owner,
  type PersonErased,
} from '@orders/domain';
import type { StoredWrite } from '../writes/aggregate-kind.ts';
import { aggregateStore } from '../writes/aggregate-store.ts';
import type { FoundConflict } from '../writes/write-functions.ts';
import type { RepositoryConnections } from '../postgres/repository-connections.ts';
import type { OrdersDatabase } from '../database/database.ts';
import { erasureRepository } from './erasure-repository.ts';
import { outsideTransactions } from '../postgres/open-transactions.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { pageReader } from '../sql/read-page.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import { customerValues, toCustomer } from './customer-row.ts';
import { type CustomerStatements, customerStatements, type ErasingRow } from './customer-statements.ts';

/**
 * Returns the repository of customers in PostgreSQL. A read is one statement, a create one, a change or deletion two.
 */
export function postgresCustomerRepository(database: OrdersDatabase): CustomerRepository {
  return customerRepository(customerStatements(database.orm), outsideTransactions(database));
}

function toPersonErased({ customer_id, is_repeated: isRepeated, ...row }: ErasingRow): PersonErased {
  const [erased_at, requested_at] = [readTimestamp(row.erased_at), readTimestamp(row.requested_at)];
  return { customer_id, erased_at, requested_at, isRepeated };
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
  const { primary } = connections;
  type Refused = EmailTaken | CustomerHasOrders | CustomerErased;
  const rulesOf = (
    owner: Owner,
    write: StoredWrite<Customer, CustomerEvent>,
    { holder }: FoundConflict,
  ): ConflictChecks<Promise<Refused | null> | Refused | null> => {
    if (write.kind !== 'delete') {
      const { id } = write.after;
      return {
        email_taken: () => (holder === null || holder === id ? null : { type: 'email_taken', customer_id: holder }),
      };
    }
    const { id, erased_at } = write.before.aggregate;
    return {
      customer_has_orders: async () => {
        const orders = await statements.anyOrder(primary, { owner_id: owner, id });
        return orders.length > 0 ? { type: 'customer_has_orders' } : null;
      },
      customer_erased: () => (erased_at === null ? null : { type: 'customer_erased' }),
    };
  };

  const store = aggregateStore(connections, {
    statements,
    toAggregate: toCustomer,
    toColumns: ({ after }) => customerValues(after),
    rulesOf,
  });

  return {
    ...store,

    list: pageReader(connections, statements.list, toCustomer),

    erasures: erasureRepository(statements.erasures, connections),

    findByEmail: (owner, email_key) => {
      const found = statements.byEmail(primary, { owner_id: owner, email_key });
      return orUnavailable(found.then(([row]) => (row ? toCustomer(row) : null)));
    },

    findErasing: (owner) => {
      const found = statements.findErasing(connections.primary, { owner_id: owner });
      return orUnavailable(found.then((rows) => rows.map(toPersonErased)));
    },

    repeatErasure: (owner, id, at) => {
      const repeated = statements.repeatErasure(connections.primary, { owner_id: owner, id, at });
      return orUnavailable(repeated.then(([row]) => (row ? toPersonErased(row) : null)));
    },

    finishErasures: (owner, persons) => {
      const ids = persons.map(({ customer_id }) => customer_id);
      const times = persons.map(({ requested_at }) => requested_at);
      const finished = statements.finishErasures(connections.primary, { owner_id: owner, ids, times });
      return orUnavailable(finished.then(() => null));
    },
  };
}
