import {
  type OrderDefinition,
  type OrderRepository,
  type OrdersOfPersons,
  type Owner,
  personsOf,
  type Timestamp,
  type VersionPosition,
} from '@orders/domain';
import { sql } from '../sql/sql.ts';
import type { Executor } from '../postgres/executor.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { type Parameter, prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { eraseComments, erasedColumns, eraseReasons, isPersonal } from '../tables/personal-data.ts';
import type { Target } from '../writes/write-functions.ts';

/** Versions per statement: few enough that it takes milliseconds, and that few orders are found. */
const SCANNED = 200;
const VERSION_MAX = 2 ** 31 - 1;
const FIRST = { id: '00000000-0000-0000-0000-000000000000', version: 0 };

/** A version with the persons whom its order has. */
export interface ScannedRow extends VersionPosition, PersonColumns {}

/** The columns of which {@link personsOf} makes persons. */
interface PersonColumns {
  readonly customer_id: string | null;
  readonly email: string | null;
}

/** An order with the persons of all of its versions. */
export interface FoundRow {
  readonly id: string;
  readonly version: number;
  readonly customer_ids: readonly string[] | null;
  readonly emails: readonly string[] | null;
  readonly is_personal: boolean;
  readonly newest: PersonColumns & { readonly type: string | null; readonly erased_at: Timestamp | null };
}

/** The columns of {@link PersonColumns} in a change `row`. */
const personColumns = (row: string) => ({
  customer_id: sql.raw(`${row}.snapshot ->> 'customer_id'`),
  email: sql.raw(`${row}.snapshot -> 'buyer' ->> 'email'`),
});

/** Returns the statements of erasures about orders. Every subquery filters by owner. */
export function erasureStatements(orm: Orm) {
  const erased = [...erasedColumns('changes', 'c')].map(([name, value]) => sql.raw(`${name} = ${value}`));
  const isPersonalOrder = sql.raw(isPersonal('orders', 'o'));
  const isPersonalVersion = sql.raw(isPersonal('changes', 'c'));
  const hasReason = sql.raw(isPersonal('owner_audit', 'a'));
  const hasText = sql.raw(isPersonal('order_comments', 'm'));
  const [c, n] = [personColumns('c'), personColumns('n')];
  const isVersion = (p: Parameter<Target>) =>
    sql`c.owner_id = ${p('owner_id')} and c.aggregate = 'order' and c.aggregate_id = ${p('id')}`;
  return {
    /** Reads a batch of versions by the primary key: no index has the persons of earlier versions. */
    scan: prepare<VersionPosition & { owner_id: Owner }, ScannedRow>(orm)`
        select c.aggregate_id as id, c.version, ${c.customer_id} as customer_id, ${c.email} as email
        from our.changes as c
        where c.owner_id = ${'owner_id'} and c.aggregate = 'order'
          and (c.aggregate_id, c.version) > (${'id'}::uuid, ${'version'}::int)
        order by c.aggregate_id, c.version limit ${sql.lit(SCANNED)}`,

    find: prepare<{ owner_id: Owner; ids: readonly string[] }, FoundRow>(orm)`
        select c.aggregate_id as id, max(c.version) as version,
          json_agg(distinct ${c.customer_id}) filter (where ${c.customer_id} is not null) as customer_ids,
          json_agg(distinct ${c.email}) filter (where ${c.email} is not null) as emails,
          bool_or(coalesce(${isPersonalVersion}, false)) or exists (
            select from our.orders as o
            where o.owner_id = ${'owner_id'} and o.id = c.aggregate_id and (${isPersonalOrder})) or exists (
            select from our.owner_audit as a
            where a.owner_id = ${'owner_id'} and a.subject = c.aggregate_id::text and ${hasReason}) or exists (
            select from our.order_comments as m
            where m.owner_id = ${'owner_id'} and m.order_id = c.aggregate_id and ${hasText}) as is_personal,
          (select json_build_object('type', n.type, 'erased_at', n.snapshot ->> 'erased_at',
              'customer_id', ${n.customer_id}, 'email', ${n.email})
            from our.changes as n
            where n.owner_id = ${'owner_id'} and n.aggregate = 'order' and n.aggregate_id = c.aggregate_id
            order by n.version desc limit 1) as newest
        from our.changes as c
        where c.owner_id = ${'owner_id'} and c.aggregate = 'order' and c.aggregate_id = any(${'ids'}::uuid[])
        group by c.aggregate_id order by c.aggregate_id`,

    eraseDeleted: prepare<Target, { version: number }>(orm)`
        with old as (
          select c.version from our.changes as c
          where ${isVersion} and not exists (
            select from our.orders as o where o.owner_id = ${'owner_id'} and o.id = ${'id'})
          order by c.occurred_at, c.version for update of c
        )
        update our.changes as c set ${sql.join(erased)}
        where ${isVersion} and (c.version in (select old.version from old)) is true
        returning c.version`,

    /** The record of the deletion stays, and whatever operators wrote about the order leaves. */
    eraseReasons: prepare<Target, object>(orm)`
        ${sql.raw(eraseReasons(''))} a.owner_id = ${'owner_id'} and a.subject = ${'id'}::text`,

    eraseComments: prepare<Target, object>(orm)`
        ${sql.raw(eraseComments(''))} m.owner_id = ${'owner_id'} and m.order_id = ${'id'}::uuid`,
  };
}

/** Returns what erasures use of the repository of orders, one or two statements each. */
export function erasuresOfOrders(
  {
    scan,
    find,
    eraseDeleted,
    eraseReasons: eraseReasonsOf,
    eraseComments: eraseCommentsOf,
  }: ReturnType<typeof erasureStatements>,
  primary: Executor,
): Pick<OrderRepository<OrderDefinition>, 'findOrdersOf' | 'eraseDeleted'> {
  return {
    findOrdersOf: (owner, persons, after) => {
      const sought = new Set(persons);
      const amongThese = ({ customer_id, email }: PersonColumns) =>
        personsOf({ customer_id, buyer: { email } }).filter((person) => sought.has(person));
      const toOrder = ({ id, version, customer_ids, emails, newest, is_personal: isPersonal }: FoundRow) => {
        const found = [
          ...(customer_ids ?? []).map((customer_id) => ({ customer_id, email: null })),
          ...(emails ?? []).map((email) => ({ customer_id: null, email })),
        ];
        return {
          id,
          version,
          erased_at: newest.type === 'order.erased' ? newest.erased_at : null,
          persons: [...new Set(found.flatMap(amongThese))],
          newest: amongThese(newest),
          isPersonal,
        };
      };
      const read = async (): Promise<OrdersOfPersons> => {
        const scanned = await scan(primary, { owner_id: owner, ...(after ?? FIRST) });
        const ids = new Set(scanned.filter((row) => amongThese(row).length > 0).map(({ id }) => id));
        const found = ids.size === 0 ? [] : await find(primary, { owner_id: owner, ids: [...ids] });
        const last = scanned.at(-1);
        if (!last || scanned.length < SCANNED) return { orders: found.map(toOrder), next: null };
        // The other versions of an order that is found need not be read.
        const { id, version } = last;
        return { orders: found.map(toOrder), next: { id, version: ids.has(id) ? VERSION_MAX : version } };
      };
      return orUnavailable(read());
    },

    eraseDeleted: (owner, id) => {
      const erase = async () => {
        await eraseDeleted(primary, { owner_id: owner, id });
        await eraseReasonsOf(primary, { owner_id: owner, id });
        await eraseCommentsOf(primary, { owner_id: owner, id });
        return null;
      };
      return orUnavailable(erase());
    },
  };
}
