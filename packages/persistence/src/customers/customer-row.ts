import { type Customer, emailKey } from '@orders/domain';
import type { ColumnValues } from '../writes/write-functions.ts';
import { jsonText } from '../sql/statement.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';

/** Returns the customer of a row, whose times are PostgreSQL's text. */
export function toCustomer({ id, email, name, metadata, version, ...row }: Customer): Customer {
  const times = { created_at: readTimestamp(row.created_at), updated_at: readTimestamp(row.updated_at) };
  return { id, email, name, metadata, version, ...times };
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
