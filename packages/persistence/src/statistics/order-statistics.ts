import type { OrderDefinition, Owner, Timestamp } from '@orders/domain';
import { type OrderStatistics, type OrderSums, QUARTER_MS } from '@orders/domain/statistics';
import type { OrdersDatabase } from '../database/database.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { callOf } from '../sql/database-function.ts';
import { findRange, sumFigures } from './sum-functions.ts';

/** The position of an owner's figures, and the quarters between which they are; null without any. */
interface FoundRange {
  readonly as_of: number;
  readonly first: number | null;
  readonly end: number | null;
}

/** The sums; null without any. */
interface FoundSums extends Pick<OrderSums<OrderDefinition>, 'as_of'> {
  readonly sums: OrderSums<OrderDefinition>['sums'] | null;
}

/** Returns the figures of orders in PostgreSQL. They follow the feed of each owner, as {@link countStatistics} counts it. */
export function postgresOrderStatistics<D extends OrderDefinition>(
  database: OrdersDatabase<D>,
): OrderStatistics<D> & { readonly definition: D };
export function postgresOrderStatistics({ orm, primary, definition }: OrdersDatabase): unknown {
  const rangeOf = callOf<FoundRange | null>(orm, findRange);
  const sumsOf = callOf<FoundSums | null>(orm, sumFigures);
  const findRangeOf = async (owner: Owner) => {
    const [row] = await rangeOf(primary, { owner_id: owner });
    const { as_of, first, end } = row?.outcome ?? { as_of: 0, first: null, end: null };
    return { as_of, range: first === null || end === null ? null : { from: timeOf(first), before: timeOf(end) } };
  };
  const sum = async (owner: Owner, bounds: readonly Timestamp[], limit: number) => {
    const quarters = bounds.map((bound) => Date.parse(bound) / QUARTER_MS);
    const [row] = await sumsOf(primary, { owner_id: owner, bounds: quarters, limit });
    const { as_of, sums } = row?.outcome ?? { as_of: 0, sums: null };
    return { as_of, sums: sums ?? [] };
  };
  return {
    definition,
    findRange: (owner) => orUnavailable(findRangeOf(owner)),
    sum: (owner, bounds, limit) => orUnavailable(sum(owner, bounds, limit)),
  } satisfies OrderStatistics<OrderDefinition>;
}

function timeOf(quarter: number): Timestamp {
  return new Date(quarter * QUARTER_MS).toISOString();
}
