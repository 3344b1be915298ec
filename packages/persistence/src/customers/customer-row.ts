import { type Customer, emailKey, type Metadata } from '@orders/domain';
import type { ColumnValues } from '../writes/write-functions.ts';
import { jsonText } from '../sql/statement.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';

/** A row of customers in the types that the driver returns. */
export interface CustomerRow {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly metadata: Metadata;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export function toCustomer(row: CustomerRow): Customer {
  const { id, email, name, metadata, version, created_at, updated_at } = row;
  return {
    id,
    email,
    name,
    metadata,
    version,
    created_at: readTimestamp(created_at),
    updated_at: readTimestamp(updated_at),
  };
}

/** Returns the values of a customer's row, by column. */
export function customerValues(customer: Customer): ColumnValues {
  return { ...customer, email_key: emailKey(customer.email), metadata: jsonText(customer.metadata) };
}

/** Returns the customer of a snapshot. */
export function restoreCustomer(snapshot: object): Customer {
  if (!isCustomer(snapshot)) throw new Error('the snapshot of a customer contains no customer');
  return snapshot;
}

function isCustomer(snapshot: object): snapshot is Customer {
  return 'email' in snapshot;
}
