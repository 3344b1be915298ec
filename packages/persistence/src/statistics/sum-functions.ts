import { databaseFunction, PLANNED_ONCE_IN_ORDER } from '../sql/database-function.ts';
import { beginOf, checkpointOf, PARTS_MAX, STATISTICS_CONSUMER, WIDTHS } from './figures-sql.ts';

const [QUARTER, HOUR, DAY] = WIDTHS;
const LAST = 'p_bounds[array_length(p_bounds, 1)]';

/**
 * The bucket of a quarter. PL/pgSQL has its parameters of arrays in a form that this function would copy for each row: the
 * array that a subquery returns is not.
 */
const bucketOf = (quarter: string) => `width_bucket(${quarter}, (select array_cat(p_bounds, '{}')))`;

/** Returns from which quarter of an hour to which one an owner has figures, in whole days of UTC. */
export const findRange = databaseFunction('statistics_range', {
  parameters: { owner_id: 'text' },
  returns: 'json',
  settings: PLANNED_ONCE_IN_ORDER,
  body: `begin
    return (
      select json_build_object('as_of', k.position, 'first', (
          select s.quarter from our.order_statistics as s
          where s.owner_id = p_owner_id and s.revision = k.fence and s.width = ${DAY} order by s.quarter limit 1
        ), 'end', (
          select s.quarter + ${DAY} from our.order_statistics as s
          where s.owner_id = p_owner_id and s.revision = k.fence and s.width = ${DAY} order by s.quarter desc limit 1
        ))
      from ${checkpointOf(STATISTICS_CONSUMER)}
    );
  end`,
});

/**
 * The times of a width in which a longer one, one of its parts, is not within one bucket: those around the bounds. Adjacent
 * ones are one: where a zone is off by minutes, each hour has a bound within it.
 */
const around = (
  width: number,
  longer: number,
) => `select ${width}, greatest(min(a.begin), p_bounds[1]), least(max(a.begin) + ${longer}, ${LAST})
            from (
              select b.begin, b.begin - ${longer} * dense_rank() over (order by b.begin) as island
              from (select ${beginOf('u.quarter', longer)} as begin from unnest(p_bounds) as u (quarter)
                where u.quarter % ${longer} <> 0) as b
            ) as a
            group by a.island`;

/**
 * Adds up the figures between bounds: whole days, and hours and quarters where a bound is within a day or an hour. It reads no
 * more of them than those of `p_limit` sums can be, so that there are as many sums if it does not read all.
 */
export const sumFigures = databaseFunction('statistics_sum', {
  parameters: { owner_id: 'text', bounds: 'int[]', limit: 'int' },
  returns: 'json',
  settings: PLANNED_ONCE_IN_ORDER,
  body: `begin
    return (
      select json_build_object('as_of', k.position, 'sums', (
        select json_agg(g order by g.bucket, g.status, g.currency) from (
          select ${bucketOf('c.quarter')} - 1 as bucket, c.status, c.currency, sum(c.orders) as orders,
            case when sum(c.total) <= ${Number.MAX_SAFE_INTEGER} then sum(c.total) end as total
          from (
            select p.quarter, p.status, p.currency, p.orders, p.total
            from (
              select ${DAY}, p_bounds[1], ${LAST}
              union all ${around(HOUR, DAY)}
              union all ${around(QUARTER, HOUR)}
            ) as r (width, first, last)
            cross join lateral (
              select s.quarter, s.status, s.currency, s.orders, s.total from our.order_statistics as s
              where s.owner_id = p_owner_id and s.revision = k.fence and s.width = r.width
                and s.quarter >= r.first and s.quarter < r.last
              offset 0
            ) as p
            where p.orders > 0 and ${bucketOf('p.quarter')} = ${bucketOf('p.quarter + r.width - 1')}
            limit p_limit::bigint * ${PARTS_MAX}
          ) as c
          group by 1, 2, 3 limit p_limit
        ) as g
      ))
      from ${checkpointOf(STATISTICS_CONSUMER)}
    );
  end`,
});
