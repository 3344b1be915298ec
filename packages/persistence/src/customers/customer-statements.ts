import {
  CUSTOMER_FILTERS,
  type CustomerQuery,
  type Erasure,
  ERASING_MAX,
  type Owner,
  PAGE_BYTES_MAX,
  type Timestamp,
} from '@orders/domain';
import { type Sql, sql } from '../sql/sql.ts';
import { erasureStatements } from './erasure-repository.ts';
import { aggregateStatements } from '../writes/aggregate-statements.ts';
import { eraseReasons, replacedMembers } from '../tables/personal-data.ts';
import type { Target } from '../writes/write-functions.ts';
import type { Orm } from '../tables/orm.ts';
import { columnsOf } from '../sql/columns.ts';
import { filterConditions, METADATA_BYTES, type PageValues, selectPage } from '../sql/keyset-page.ts';
import { pageStatements } from '../sql/read-page.ts';
import { type Part, prepare } from '../sql/statement.ts';
import { CustomerEntity, IS_ERASING } from '../tables/customer-entity.ts';
import { CUSTOMER_TABLE } from './customer-kind.ts';
import type { CustomerRow } from './customer-row.ts';

/** The bytes of a page of customers. */
const ROOM = [{ of: METADATA_BYTES, max: PAGE_BYTES_MAX }];

/** Returns every statement on customers, each built once. Every subquery of a statement filters by owner. */
export function customerStatements(orm: Orm) {
  // These are only compared.
  const names = columnsOf(CustomerEntity).flatMap(({ name }) =>
    ['email_key', 'erasure_requested_at'].includes(name) ? [] : [sql.ref(`o.${name}`)],
  );
  const columns = sql.join(names);
  return {
    ...aggregateStatements<CustomerRow>(orm, CUSTOMER_TABLE, columns),

    erasures: erasureStatements(orm),

    byEmail: prepare<{ owner_id: Owner; email_key: string }, CustomerRow>(orm)`
        select ${columns} from our.customers as o
        where o.owner_id = ${'owner_id'} and o.email_key = ${'email_key'}`,

    /** Selects an order of a customer. */
    anyOrder: prepare<Target, { id: string }>(orm)`select id from our.orders
        where owner_id = ${'owner_id'} and customer_id = ${'id'} limit 1`,

    /** There is an index with these alone. */
    findErasing: prepare<{ owner_id: Owner }, ErasingRow>(orm)`
        select ${ERASING} from our.customers as o
        where o.owner_id = ${'owner_id'} and ${sql.raw(IS_ERASING)} order by o.id limit ${sql.lit(ERASING_MAX)}`,

    /**
     * Makes an erasure pending again, in the row and in its version, and empties what operators wrote since about the customer.
     * Its time is calculated outside the update, in which Citus allows no times that are calculated from columns.
     */
    repeatErasure: prepare<{ owner_id: Owner; id: string; at: Timestamp }, ErasingRow>(orm)`
        with earlier as (
          select o.id, greatest(${'at'}::timestamptz, o.erasure_requested_at + interval '1 millisecond') as next
          from our.customers as o
          where o.owner_id = ${'owner_id'} and o.id = ${'id'} and o.erased_at is not null for update
        ),
        changed as (
          update our.customers as o set erasure = case when o.erasure = 'pending' then 'pending' else 'repeated' end,
            erasure_requested_at = e.next
          from earlier as e
          where o.owner_id = ${'owner_id'} and o.id = e.id
          returning o.version, ${ERASING}
        ),
        versions as (${withErasure('pending', sql`select customer_id, version from changed`)}),
        reasons as (${sql.raw(eraseReasons(''))} a.owner_id = ${'owner_id'}
          and a.subject in (select e.id::text from earlier as e) returning a.id)
        select customer_id, erased_at, requested_at, is_repeated from changed`,

    /** Makes erasures done that were not requested again, in the rows and in their versions. */
    finishErasures: prepare<
      { owner_id: Owner; ids: readonly string[]; times: readonly Timestamp[] },
      { version: number }
    >(orm)`
        with finished as (
          update our.customers as o set erasure = 'done'
          from unnest(${'ids'}::uuid[], ${'times'}::timestamptz[]) as r (id, requested_at)
          where o.owner_id = ${'owner_id'} and o.id = r.id and o.erasure_requested_at = r.requested_at
          returning o.id, o.version
        )
        ${withErasure('done', sql`select id, version from finished`)}`,

    list: pageStatements<CustomerQuery, PageValues & CustomerQuery, CustomerRow>(orm, CUSTOMER_FILTERS, (query, p) => {
      const { others, ...ranges } = filterConditions(CUSTOMER_FILTERS, query, p);
      const scans = [Object.values(others)];
      return selectPage(query, { table: 'customers', columns, read: columns, scans, room: ROOM, ...ranges }, p);
    }),
  };
}

/** A person whose orders are to be erased, as the driver returns it. */
export interface ErasingRow {
  readonly customer_id: string;
  readonly erased_at: string;
  readonly requested_at: string;
  readonly is_repeated: boolean;
}

const ERASING = sql.raw(
  `o.id as customer_id, o.erased_at, o.erasure_requested_at as requested_at, o.erasure = 'repeated' as is_repeated`,
);

/** Sets the status of the erasure in versions of customers. */
function withErasure(status: Erasure['status'], versions: Sql): Part<{ owner_id: Owner }> {
  return (
    p,
  ) => sql`update our.changes as c set snapshot = ${sql.raw(replacedMembers('c.snapshot', { erasure: { status } }))}
    where c.owner_id = ${p('owner_id')} and c.aggregate = 'customer' and (c.aggregate_id, c.version) in (${versions})
    returning c.version`;
}

export type CustomerStatements = ReturnType<typeof customerStatements>;
