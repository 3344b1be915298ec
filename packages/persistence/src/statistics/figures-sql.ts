import { orderKind, ORDERS } from '@orders/domain';
import { QUARTER_MS } from '@orders/domain/statistics';

/** The kind of aggregate that is counted. */
export const ORDER = orderKind(ORDERS).name;

/** The name of the consumer that counts orders. The fence of its checkpoint is the revision of the figures that are read. */
export const STATISTICS_CONSUMER = 'orders.statistics';

/**
 * The name of the checkpoint of an owner that is counted again, as long as it is. Its fence is the revision of the figures
 * that it makes. While the orders are counted, the id of the last one follows its event.
 */
export const RECOUNT = 'orders.statistics.recount';

/** The checkpoint `k` of a consumer. */
export const checkpointOf = (name: string) =>
  `our.checkpoints as k where k.owner_id = p_owner_id and k.name = '${name}'`;

/** Creates the checkpoint of the consumer, unless it exists. */
export const ENSURE_CHECKPOINT = `insert into our.checkpoints (owner_id, name, position, event, fence)
    select p_owner_id, '${STATISTICS_CONSUMER}', 0, '0000000000000000', 0
    where not exists (select from ${checkpointOf(STATISTICS_CONSUMER)}) on conflict (owner_id, name) do nothing;`;

/** The last digits of the id of an event, as a checkpoint has them. */
export const eventOf = (id: string) => `coalesce(right(replace(${id}::text, '-', ''), 16), '0000000000000000')`;

/** Maximum number of events or orders that are counted together. */
export const COUNTED_MAX = 1000;

/** The bytes of versions that are counted together: none is begun above it. */
export const COUNTED_BYTES_MAX = 2_097_152;

/** The quarters of an hour in a quarter, an hour and a day in UTC: the times of which sums are stored. */
export const WIDTHS = [1, 4, 96] as const;

/** The most stored sums of one status and currency that a bucket consists of: days, and hours and quarters at both ends. */
export const PARTS_MAX = 31 + 2 * 24 + 2 * 4;

/** The begin of the time of a width that contains a quarter, which is negative before 1970. */
export const beginOf = (quarter: string, width: string | number) =>
  `${quarter} - ((${quarter} % ${width}) + ${width}) % ${width}`;

/** The quarter of an hour of a time. `date_part` returns a float, and `extract` a numeric, which takes several times as long. */
const quarterOf = (time: string) => `floor(date_part('epoch', ${time}) / ${QUARTER_MS / 1000})::int`;

const TOTAL = `s.total ->> 'currency' as currency, (s.total ->> 'amount')::bigint as total`;

/** Selects the figures of the versions `s` of new orders. These have entered no status but the initial one. */
export const placedIn = (versions: string): string => `
        select ${quarterOf("(s.snapshot ->> 'created_at')::timestamptz")} as quarter, 'placed' as status, 1 as sign, ${TOTAL}
        from ${versions} as s`;

/**
 * Selects the figures of the versions `s` of orders, as `figuresOf` of the domain has them: every time of a status, also of
 * another definition, is a member of the order that ends in `_at`. `sign` is 1 to count an order, and -1 to count it no longer.
 */
export const figuresIn = (versions: string): string => `
        select ${quarterOf('m.value::timestamptz')} as quarter,
          case m.key when 'created_at' then 'placed' else left(m.key, -3) end as status, s.sign, ${TOTAL}
        from ${versions} as s
        cross join lateral json_each_text(s.snapshot) as m
        where m.key like '%\\_at' and m.value is not null and m.key <> all ('{updated_at,corrected_at,erased_at}')`;

/** Adds up figures by quarter, hour and day, as JSON. */
export const sumsOf = (figures: string): string => `select json_agg(s) from (
      select w.width, ${beginOf('q.quarter', 'w.width')} as quarter, q.status, q.currency,
        sum(q.orders) as orders, sum(q.total) as total
      from (
        select f.quarter, f.status, f.currency, sum(f.sign) as orders, sum(f.sign * f.total) as total
        from (${figures}) as f
        group by f.quarter, f.status, f.currency
      ) as q
      cross join unnest(array[${WIDTHS.join(', ')}]) as w (width)
      group by 1, 2, 3, 4
    ) as s where s.orders <> 0 or s.total <> 0`;

/**
 * Adds sums to the figures of a revision. A statement of its own: Citus would send one that inserts in a part
 * of it to all nodes.
 */
export const addSums = (revision: string, sums: string): string => `
      insert into our.order_statistics as s (owner_id, revision, width, quarter, status, currency, orders, total)
      select p_owner_id, ${revision}, r.width, r.quarter, r.status, r.currency, r.orders, r.total
      from json_to_recordset(${sums})
        as r (width smallint, quarter int, status text, currency text, orders bigint, total numeric)
      on conflict (owner_id, revision, width, quarter, status, currency)
      do update set orders = s.orders + excluded.orders, total = s.total + excluded.total;`;
