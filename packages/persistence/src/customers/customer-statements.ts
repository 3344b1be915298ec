import { type Customer, type Owner, PAGE_BYTES_MAX, type PageQuery } from '@orders/domain';
import { sql } from 'kysely';
import { aggregateStatements } from '../writes/aggregate-statements.ts';
import type { AggregateTable } from '../writes/write-functions.ts';
import type { Orm } from '../tables/orm.ts';
import { columnsOf } from '../sql/columns.ts';
import { METADATA_BYTES, type PageValues, selectPage } from '../sql/keyset-page.ts';
import { pageStatements } from '../sql/read-page.ts';
import { prepare } from '../sql/statement.ts';
import { CustomerEntity } from '../tables/customer-entity.ts';

/** The table of customers, for writes. */
export const CUSTOMER_TABLE: AggregateTable = {
  aggregate: 'customer',
  table: 'customers',
  entity: CustomerEntity,
  fixed: ['created_at'],
  erases: true,
};

/** The bytes of a page of customers. */
const ROOM = [{ of: METADATA_BYTES, max: PAGE_BYTES_MAX }];

/** Returns every statement on customers, each built once. Every subquery of a statement filters by owner. */
export function customerStatements(orm: Orm) {
  // `email_key` is only compared.
  const names = columnsOf(orm, CustomerEntity).flatMap(({ name }) =>
    name === 'email_key' ? [] : [sql.ref(`o.${name}`)],
  );
  const columns = sql.join(names);
  return {
    ...aggregateStatements<Customer>(orm, CUSTOMER_TABLE, columns),

    holderOfEmail: prepare<{ customer: { owner_id: Owner; email_key: string } }, { id: string }>(
      orm,
      (p) => sql<{ id: string }>`select id from our.customers
        where owner_id = ${p('customer', 'owner_id')} and email_key = ${p('customer', 'email_key')}`,
    ),

    list: pageStatements<PageQuery, PageValues, Customer>(orm, (query, p) =>
      selectPage(query, { table: 'customers', columns, read: columns, scans: [[]], room: ROOM }, p),
    ),
  };
}

export type CustomerStatements = ReturnType<typeof customerStatements>;
