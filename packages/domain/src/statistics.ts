export { figuresOf, type OrderFigure, PLACED } from './statistics/order-figures.ts';
export * from './statistics/order-statistics.ts';
export * from './statistics/read-statistics.ts';
export * from './statistics/statistics-query.ts';
export {
  countBuckets,
  QUARTER_MS,
  STATISTICS_INTERVALS,
  type StatisticsInterval,
  type StatisticsQuery,
} from './statistics/time-buckets.ts';
