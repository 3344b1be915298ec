import type { ResultAsync } from 'neverthrow';
import type { EnteredStatusOf, OrderDefinition } from '../orders/definition/order-definition.ts';
import type { DefaultDefinition } from '../orders/order-lifecycle.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { PLACED } from './order-figures.ts';

/** Maximum number of rows of statistics. */
export const STATISTICS_ROWS_MAX = 10_000;

/** The status of a row: `placed` for the placing of orders, otherwise the entered status. */
export type StatisticsStatus<D extends OrderDefinition = DefaultDefinition> = typeof PLACED | EnteredStatusOf<D>;

/** The orders of one currency that were placed, or entered a status, within one bucket. */
export interface OrderSum<D extends OrderDefinition = DefaultDefinition> {
  readonly status: StatisticsStatus<D>;
  readonly currency: string;
  /** Number of orders, at least 1. */
  readonly orders: number;
  /** The sum of their current totals, in minor units; `null` above 2^53-1. */
  readonly total: number | null;
}

/** The figures of the orders of an owner that existed at one position of its feed. */
export interface OrderSums<D extends OrderDefinition = DefaultDefinition> {
  /** The sums by bucket, status and currency, in this order; `bucket` is the index of its begin. */
  readonly sums: readonly (OrderSum<D> & { readonly bucket: number })[];
  /** Position of the last event in the owner's feed that the sums contain; 0 for none. */
  readonly as_of: number;
}

/** The times of the figures of an owner at one position of its feed. */
export interface StatisticsRange {
  /** All figures are between these times; `null` without any. */
  readonly range: { readonly from: Timestamp; readonly before: Timestamp } | null;
  /** As in {@link OrderSums}. */
  readonly as_of: number;
}

/** Port: the figures of the orders of each owner. */
export interface OrderStatistics<D extends OrderDefinition = DefaultDefinition> {
  /** The definition of the orders. */
  readonly definition?: D | undefined;

  /** Returns between which times the figures of an owner are. */
  findRange(owner: Owner): ResultAsync<StatisticsRange, Unavailable>;

  /**
   * Returns the sums of the figures of every order, as `figuresOf` has them, in the buckets between `bounds`: at least two
   * times in ascending order, of whole quarters of an hour. If there are more than `limit`, returns that many, of which none
   * need be right: the work is bounded by the limit. Those of one call belong to the same position.
   */
  sum(owner: Owner, bounds: readonly Timestamp[], limit: number): ResultAsync<OrderSums<D>, Unavailable>;
}
