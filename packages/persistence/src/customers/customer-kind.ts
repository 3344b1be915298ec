import { customerKind } from '@orders/domain';
import { CustomerEntity } from '../tables/customer-entity.ts';
import type { StoredKind } from '../writes/aggregate-kind.ts';
import { type AggregateTable, raise } from '../writes/write-functions.ts';

/** The constraint of an erased customer that is deleted. */
const ERASED = 'customers_erased';

/** The table of customers, for writes. */
export const CUSTOMER_TABLE: AggregateTable = {
  of: customerKind,
  table: 'customers',
  entity: CustomerEntity,
  fixed: ['created_at'],
  unique: 'email_key',
  erases: true,
  erasure: 'erases snapshots',
  constraints: ['customers_email_unique', 'orders_customer_foreign', ERASED],
  deletion: {
    condition: 'erased_at is not null',
    variable: 'was_erased',
    check: `if was_erased then ${raise(ERASED, 'the customer is erased')} end if;`,
  },
};

/** Customers as they are stored. */
export const storedCustomers: StoredKind = { tables: [CUSTOMER_TABLE] };
