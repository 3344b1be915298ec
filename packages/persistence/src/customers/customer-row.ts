import { type Customer, emailKey } from '@orders/domain';
import type { ColumnValues } from '../writes/write-functions.ts';
import { jsonText } from '../sql/statement.ts';
import type { StoredErasure } from '../tables/customer-entity.ts';
import { readTimestamp, readTimestampOrNull } from '../tables/timestamp-type.ts';

/** A row of customers as the driver returns it: times as PostgreSQL's text. */
export interface CustomerRow extends Omit<Customer, 'erasure'> {
  readonly erasure: StoredErasure | null;
}

/** Returns the customer of a row. */
export function toCustomer({ id, email, name, metadata, version, erasure, ...row }: CustomerRow): Customer {
  return {
    id,
    email,
    name,
    metadata,
    version,
    created_at: readTimestamp(row.created_at),
    updated_at: readTimestamp(row.updated_at),
    erased_at: readTimestampOrNull(row.erased_at),
    erasure: erasure && { status: erasure === 'done' ? erasure : 'pending' },
  };
}

/** Returns the values of a customer's row, by column. */
export function customerValues(customer: Customer): ColumnValues {
  const { email, metadata, erasure, erased_at } = customer;
  return {
    ...customer,
    email_key: email === null ? null : emailKey(email),
    metadata: jsonText(metadata),
    erasure: erasure && erasure.status,
    // What is written is an erasure for the first time.
    erasure_requested_at: erased_at,
  };
}
