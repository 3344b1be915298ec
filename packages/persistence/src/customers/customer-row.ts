import { type Customer, emailKey, type Erasure } from '@orders/domain';
import type { ColumnValues } from '../writes/write-functions.ts';
import { jsonText } from '../sql/statement.ts';
import { readTimestamp, readTimestampOrNull } from '../tables/timestamp-type.ts';

/** A row of customers as the driver returns it: times as PostgreSQL's text. */
export interface CustomerRow extends Omit<Customer, 'erasure'> {
  readonly erasure: Erasure['status'] | null;
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
    erasure: erasure && { status: erasure },
  };
}

/** Returns the values of a customer's row, by column. */
export function customerValues(customer: Customer): ColumnValues {
  const { email, metadata, erasure } = customer;
  return {
    ...customer,
    email_key: email === null ? null : emailKey(email),
    metadata: jsonText(metadata),
    erasure: erasure && erasure.status,
  };
}

/** Returns the customer of a snapshot. */
export function restoreCustomer(snapshot: object): Customer {
  if (!isCustomer(snapshot)) throw new Error('the snapshot of a customer contains no customer');
  return snapshot;
}

function isCustomer(snapshot: object): snapshot is Customer {
  return 'email' in snapshot;
}
