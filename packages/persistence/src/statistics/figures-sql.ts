import { QUARTER_MS } from '@orders/domain/statistics';

/** The name of the consumer that counts orders. */
export const STATISTICS_CONSUMER = 'orders.statistics';

/** The checkpoint `k` of the consumer. */
export const CHECKPOINT = `our.checkpoints as k where k.owner_id = p_owner_id and k.name = '${STATISTICS_CONSUMER}'`;

/** Locks the checkpoint, whose position is `counted_to` then, or leaves it not found while another process counts the owner. */
export const LOCK_CHECKPOINT = `
    insert into our.checkpoints (owner_id, name, position, event, fence)
    select p_owner_id, '${STATISTICS_CONSUMER}', 0, '0000000000000000', 0
    where not exists (select from ${CHECKPOINT}) on conflict (owner_id, name) do nothing;
    select k.position into counted_to from ${CHECKPOINT} for update skip locked;`;

/** The quarter of an hour of a time. `date_part` returns a float, and `extract` a numeric, which takes several times as long. */
const quarterOf = (time: string) => `floor(date_part('epoch', ${time}) / ${QUARTER_MS / 1000})::int`;

const TOTAL = `o.total ->> 'currency' as currency, (o.total ->> 'amount')::bigint as total`;

/** Selects the figures of the snapshots `s` of new orders. These have entered no status but the initial one. */
export const placedIn = (snapshots: string): string => `
        select ${quarterOf('o.created_at')} as quarter, 'placed' as status, 1 as sign, ${TOTAL}
        from ${snapshots} as s
        cross join lateral json_to_record(s.snapshot) as o (created_at timestamptz, total json)`;

/**
 * Selects the figures of the snapshots `s` of orders, as `figuresOf` of the domain has them: every time of a status is a
 * member of the order that ends in `_at`. `sign` is 1 to count an order, and -1 to count it no longer.
 */
export const figuresIn = (snapshots: string): string => `
        select ${quarterOf('f.at')} as quarter, f.status, s.sign, ${TOTAL}
        from ${snapshots} as s
        cross join lateral json_to_record(s.snapshot) as o (created_at timestamptz, total json)
        cross join lateral (
          select 'placed' as status, o.created_at as at
          union all
          select left(m.key, -3), m.value::timestamptz from json_each_text(s.snapshot) as m
          where m.key like '%\\_at' and m.key <> 'created_at' and m.key <> 'updated_at' and m.value is not null
        ) as f`;

/** Adds up figures. */
export const sumsOf = (figures: string): string => `
      select f.quarter, f.status, f.currency, sum(f.sign) as orders, sum(f.sign * f.total) as total
      from (${figures}) as f
      group by f.quarter, f.status, f.currency`;
