export { figuresOf, type OrderFigure, PLACED } from './statistics/order-figures.ts';
export {
  type OrderStatistics,
  type OrderSum,
  type OrderSums,
  STATISTICS_ROWS_MAX,
  type StatisticsRange,
  type StatisticsStatus,
} from './statistics/order-statistics.ts';
export {
  type ReadStatisticsError,
  readOrderStatistics,
  statisticsIn,
  type StatisticsOf,
  type StatisticsRow,
} from './statistics/read-statistics.ts';
export { parseStatisticsQuery, type StatisticsQueryInput } from './statistics/statistics-query.ts';
export {
  countBuckets,
  QUARTER_MS,
  STATISTICS_INTERVALS,
  type StatisticsInterval,
  type StatisticsQuery,
} from './statistics/time-buckets.ts';
