import { CUSTOMER_FILTERS, type CustomerQuery, ERASING_MAX, type Owner, PAGE_BYTES_MAX } from '@orders/domain';
import { sql } from 'kysely';
import { aggregateStatements } from '../writes/aggregate-statements.ts';
import { replacedMembers } from '../tables/personal-data.ts';
import type { AggregateTable, Target } from '../writes/write-functions.ts';
import type { Orm } from '../tables/orm.ts';
import { columnsOf } from '../sql/columns.ts';
import { filterConditions, METADATA_BYTES, type PageValues, selectPage } from '../sql/keyset-page.ts';
import { pageStatements } from '../sql/read-page.ts';
import { prepare } from '../sql/statement.ts';
import { CustomerEntity } from '../tables/customer-entity.ts';
import type { CustomerRow } from './customer-row.ts';

/** The table of customers, for writes. */
export const CUSTOMER_TABLE: AggregateTable = {
  aggregate: 'customer',
  table: 'customers',
  entity: CustomerEntity,
  fixed: ['created_at'],
  unique: 'email_key',
  erases: true,
  erasure: 'erases snapshots',
  keepsErased: true,
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
    ...aggregateStatements<CustomerRow>(orm, CUSTOMER_TABLE, columns),

    byEmail: prepare<{ customer: { owner_id: Owner; email_key: string } }, CustomerRow>(
      orm,
      (p) => sql<CustomerRow>`select ${columns} from our.customers as o
        where o.owner_id = ${p('customer', 'owner_id')} and o.email_key = ${p('customer', 'email_key')}`,
    ),

    /** Selects an order of a customer. */
    anyOrder: prepare<{ target: Target }, { id: string }>(
      orm,
      (p) => sql<{ id: string }>`select id from our.orders
        where owner_id = ${p('target', 'owner_id')} and customer_id = ${p('target', 'id')} limit 1`,
    ),

    /** There is an index with these alone. */
    findErasing: prepare<{ of: { owner_id: Owner } }, { customer_id: string; erased_at: string }>(
      orm,
      (p) => sql`
        select id as customer_id, erased_at from our.customers
        where owner_id = ${p('of', 'owner_id')} and erasure = 'pending' order by id limit ${sql.lit(ERASING_MAX)}`,
    ),

    /** Makes erasures done, in the rows and in their versions. */
    finishErasures: prepare<{ erased: { owner_id: Owner; ids: readonly string[] } }, { version: number }>(
      orm,
      (p) => sql<{ version: number }>`
        with finished as (
          update our.customers set erasure = 'done'
          where owner_id = ${p('erased', 'owner_id')} and id = any(${p('erased', 'ids')}::uuid[]) and erased_at is not null
          returning id, version
        )
        update our.changes as c set snapshot = ${sql.raw(replacedMembers('c.snapshot', { erasure: { status: 'done' } }))}
        where c.owner_id = ${p('erased', 'owner_id')} and c.aggregate = 'customer'
          and (c.aggregate_id, c.version) in (select id, version from finished)
        returning c.version`,
    ),

    list: pageStatements<CustomerQuery, PageValues & CustomerQuery, CustomerRow>(orm, CUSTOMER_FILTERS, (query, p) => {
      const { others, ...ranges } = filterConditions(CUSTOMER_FILTERS, query, p);
      const scans = [Object.values(others)];
      return selectPage(query, { table: 'customers', columns, read: columns, scans, room: ROOM, ...ranges }, p);
    }),
  };
}

export type CustomerStatements = ReturnType<typeof customerStatements>;
