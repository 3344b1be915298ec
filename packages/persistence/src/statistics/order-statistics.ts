import type { OrderDefinition, Owner, Timestamp } from '@orders/domain';
import { type OrderStatistics, QUARTER_MS } from '@orders/domain/statistics';
import { sql } from 'kysely';
import { ok } from 'neverthrow';
import type { OrdersDatabase } from '../database.ts';
import { toResultAsync } from '../postgres/postgres-errors.ts';
import { prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { STATISTICS_CONSUMER } from './figures-sql.ts';

/** A row as the driver returns it: the position, and the sums, all null without any. */
interface SumRow {
  readonly as_of: string;
  readonly bucket: number | null;
  readonly status: string;
  readonly currency: string;
  readonly orders: string;
  readonly total: string;
}

interface SumValues {
  readonly sums: { readonly owner_id: Owner; readonly bounds: readonly number[]; readonly limit: number };
}

/** Returns the statement that adds up the figures between bounds. */
function sumStatement(orm: Orm) {
  return prepare<SumValues, SumRow>(orm, (p) => {
    const owner = p('sums', 'owner_id');
    const bounds = sql`${p('sums', 'bounds')}::int[]`;
    return sql<SumRow>`
      select coalesce((select k.position from our.checkpoints as k
          where k.owner_id = ${owner} and k.name = ${sql.lit(STATISTICS_CONSUMER)}), 0) as as_of, s.*
      from (select 1) as one
      left join (
        select width_bucket(s.quarter, ${bounds}) - 1 as bucket, s.status, s.currency, sum(s.orders) as orders,
          sum(s.total) as total
        from our.order_statistics as s
        where s.owner_id = ${owner} and s.quarter >= (${bounds})[1]
          and s.quarter < (${bounds})[array_length(${bounds}, 1)]
        group by 1, 2, 3
        having sum(s.orders) > 0
        order by 1, 2, 3 limit ${p('sums', 'limit')}::int
      ) as s on true
      order by s.bucket, s.status, s.currency`;
  });
}

/** Returns the figures of orders in PostgreSQL. They follow the feed of each owner, as {@link countStatistics} counts it. */
export function postgresOrderStatistics<D extends OrderDefinition>(
  database: OrdersDatabase<D>,
): OrderStatistics<D> & { readonly definition: D };
export function postgresOrderStatistics({ orm, primary, definition }: OrdersDatabase): unknown {
  const statement = sumStatement(orm);
  const sum = async (owner: Owner, bounds: readonly Timestamp[], limit: number) => {
    const quarters = bounds.map((bound) => Date.parse(bound) / QUARTER_MS);
    const rows = await statement(primary, { sums: { owner_id: owner, bounds: quarters, limit } });
    const sums = rows.flatMap(({ bucket, status, currency, orders, total }) => {
      if (bucket === null) return [];
      const exact = BigInt(total) <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(total) : null;
      return [{ bucket, status, currency, orders: Number(orders), total: exact }];
    });
    return ok({ sums, as_of: Number(rows[0]?.as_of ?? 0) });
  };
  return {
    definition,
    sum: (owner, bounds, limit) => toResultAsync(sum(owner, bounds, limit)),
  } satisfies OrderStatistics<OrderDefinition>;
}
