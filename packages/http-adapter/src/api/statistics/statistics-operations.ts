import type { OrderDefinition } from '@orders/domain';
import {
  countBuckets,
  type OrderStatistics,
  parseStatisticsQuery,
  STATISTICS_INTERVALS,
  statisticsIn,
  type StatisticsOf,
  STATISTICS_ROWS_MAX,
  type StatisticsQuery,
  type StatisticsRow,
} from '@orders/domain/statistics';
import type { FastifyRequest } from 'fastify';
import { errAsync, type Result } from 'neverthrow';
import { Type } from 'typebox';
import { toListProblem } from '../../problems/from-domain.ts';
import type { Problem } from '../../problems/problem.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { readQuery } from '../../request/request-parameters.ts';
import { ownerOf } from '../../request-state.ts';
import { toListResponse, uncached } from '../../response/responses.ts';
import { perDefinition } from '../definition-schemas.ts';
import { type Operation, READ } from '../operation.ts';
import { Currency, DateTime, nullable, openEnum, type SchemasOf } from '../schemas.ts';

/** Buckets, and rows, that count as one read. */
const [BUCKETS_OF_READ, ROWS_OF_READ] = [25, 500];

/** The reads of as many rows as there can be. */
const READS_MAX = STATISTICS_ROWS_MAX / ROWS_OF_READ;

/** Returns the operations on figures of orders. */
export function statisticsOperations(
  statistics: OrderStatistics<OrderDefinition>,
  definition: OrderDefinition,
): readonly Operation[] {
  return [
    {
      id: 'get_order_statistics',
      summary: 'Count orders',
      description: `Returns how many of your orders were placed, and entered each status, in each hour, day or month of a range, and the sums of their current totals by currency. An order counts when it was placed and at the last entry of each status; a deleted order counts nowhere. Changes count within seconds: \`as_of\` is the position of the last event that the figures contain. A range with more than ${STATISTICS_ROWS_MAX.toLocaleString('en')} buckets or rows gets 400. Each ${BUCKETS_OF_READ} buckets count as a read. More than ${ROWS_OF_READ} rows for each of these count as ${READS_MAX} reads.`,
      method: 'GET',
      path: '/order_statistics',
      scope: 'orders:read',
      cost: { ...READ, unit: 'bucket', bytesPerUnit: Number.POSITIVE_INFINITY, excess: tooManyBuckets },
      body: null,
      query: QUERY,
      requires: ['interval', 'from', 'before'],
      response: { schema: orderStatistics(definition) },
      measure: (request) => {
        const query = readRequest(request);
        const units = query.match(
          (parsed) => Math.ceil(countBuckets(parsed) / BUCKETS_OF_READ),
          () => 1,
        );
        const read = (parsed: StatisticsQuery, reads: number) => {
          const rowsMax = Math.min(reads * ROWS_OF_READ, STATISTICS_ROWS_MAX);
          return toListResponse(statisticsIn(statistics, ownerOf(request), parsed, rowsMax), ({ rows, as_of }) =>
            uncached({ data: rows, as_of }),
          );
        };
        return {
          units,
          work: (chargeUpTo) =>
            query.asyncAndThen((parsed) =>
              read(parsed, units).orElse((problem) =>
                problem.code === 'invalid_parameter' && units < READS_MAX
                  ? chargeUpTo(READS_MAX).andThen(() => read(parsed, READS_MAX))
                  : errAsync(problem),
              ),
            ),
        };
      },
    },
  ];
}

function tooManyBuckets(units: number, limit: number): Problem {
  const message = `selects buckets or rows that count as ${units} reads, and the limit is ${limit} a minute: choose a shorter range or a longer interval`;
  return toListProblem({ type: 'validation_failed', errors: [{ field: 'before', code: 'out_of_range', message }] });
}

const QUERY = {
  interval: Type.String({
    enum: [...STATISTICS_INTERVALS],
    description: 'Length of a bucket, in the time of `time_zone`',
  }),
  from: Type.Unsafe<string>({
    ...DateTime,
    title: undefined,
    description: 'The first bucket contains this time. From 1900 to 2099 (UTC)',
    examples: ['2026-01-01T00:00:00Z'],
  }),
  before: Type.Unsafe<string>({
    ...DateTime,
    title: undefined,
    description: 'The last bucket begins before this time, which is after `from`',
    examples: ['2026-02-01T00:00:00Z'],
  }),
  time_zone: Type.String({
    pattern: '^[A-Za-z0-9_+:/-]+$',
    minLength: 1,
    maxLength: 64,
    default: 'UTC',
    description: 'Name of the IANA database, such as `Europe/Berlin`, or an offset such as `+05:45`',
  }),
};

function readRequest(request: FastifyRequest): Result<StatisticsQuery, Problem> {
  const faults = RequestFaults.of(request);
  const query = readQuery(request, ['interval', 'from', 'before', 'time_zone'], faults, {
    times: ['from', 'before', 'time_zone'],
  });
  const parse = () => parseStatisticsQuery(query);
  return faults.toResult(null, parse).andThen(() => parse().mapErr(toListProblem));
}

/** Returns the schema of the figures of orders of a definition. */
const orderStatistics = perDefinition(({ noTimes }) => {
  const statuses = ['placed', ...Object.keys(noTimes).map((member) => member.replace(/_at$/, ''))];
  const Row = Type.Object(
    {
      start: Type.String({
        maxLength: 25,
        format: 'date-time',
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(Z|[+-]\\d{2}:\\d{2})$',
        description: 'Begin of the bucket in `time_zone`, with the offset',
      }),
      status: Type.String({
        ...openEnum(statuses),
        pattern: '^[a-z0-9_]+$',
        maxLength: 30,
        description: 'The entered status; `placed` for the placing',
      }),
      currency: Currency,
      orders: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Number of orders',
      }),
      total: nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
        description: 'Sum of their current totals, in minor units; null above 2^53-1',
      }),
    } satisfies SchemasOf<StatisticsRow<OrderDefinition>>,
    { title: 'OrderStatisticsRow', description: 'The orders of one bucket, status and currency' },
  );
  return Type.Object(
    {
      data: Type.Array(Row, {
        maxItems: STATISTICS_ROWS_MAX,
        description: 'By start, status and currency. Buckets without orders have no row',
      }),
      as_of: Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Position of the last of your events that the figures contain; 0 for none',
      }),
    } satisfies SchemasOf<{ data: unknown } & Pick<StatisticsOf, 'as_of'>>,
    {
      title: 'OrderStatistics',
      description: 'Figures of orders',
      examples: [
        {
          data: [{ start: '2026-01-02T00:00:00+01:00', status: 'placed', currency: 'EUR', orders: 2, total: 5980 }],
          as_of: 7,
        },
      ],
    },
  );
});
