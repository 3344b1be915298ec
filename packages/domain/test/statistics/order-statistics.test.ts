import { ORDERS } from '@orders/domain';
import {
  figuresOf,
  parseStatisticsQuery,
  readOrderStatistics,
  type StatisticsQueryInput,
} from '@orders/domain/statistics';
import { anOrder, inMemoryStore } from '@orders/domain/testing';
import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { invalidFields } from '../fixtures/a-domain.ts';

const { statistics: store } = inMemoryStore();

/** All time in which a query may be. */
const ALWAYS = { from: '1900-01-01T00:00:00.000Z', before: '2100-01-01T00:00:00.000Z' };

/** Reads statistics with one order in each bucket, of an owner with figures in `range` at position `asOf`. */
const read = (input: StatisticsQueryInput, range: typeof ALWAYS | null = ALWAYS, asOf = 7) =>
  readOrderStatistics(
    {
      findRange: () => okAsync({ range, as_of: asOf }),
      sum: (_owner, bounds, limit) => {
        const begins = bounds.slice(0, -1);
        const row = { status: 'placed', currency: 'EUR', orders: 1, total: 1 } as const;
        return okAsync({ sums: begins.map((_, bucket) => ({ ...row, bucket })).slice(0, limit), as_of: 7 });
      },
    },
    'shop',
    input,
  );
const startsOf = async (input: StatisticsQueryInput) =>
  (await read(input))._unsafeUnwrap().rows.map(({ start }) => start);

const DAY_MS = 86_400_000;

describe('a bucket', () => {
  it.each<[StatisticsQueryInput, readonly string[]]>([
    [
      { interval: 'month', from: '2026-01-31T23:59:59Z', before: '2026-03-01T00:00:00Z' },
      ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ],
    [
      // Days of 23 and of 25 hours.
      { interval: 'day', from: '2026-03-28T12:00:00Z', before: '2026-03-30T12:00:00Z', time_zone: 'Europe/Berlin' },
      ['2026-03-28T00:00:00+01:00', '2026-03-29T00:00:00+01:00', '2026-03-30T00:00:00+02:00'],
    ],
    [
      { interval: 'hour', from: '2026-10-25T00:30:00Z', before: '2026-10-25T02:00:01Z', time_zone: 'Europe/Berlin' },
      ['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00', '2026-10-25T03:00:00+01:00'],
    ],
    [
      { interval: 'hour', from: '2026-01-01T00:14:00Z', before: '2026-01-01T00:16:00Z', time_zone: 'Asia/Kathmandu' },
      ['2026-01-01T05:00:00+05:45', '2026-01-01T06:00:00+05:45'],
    ],
    [
      // The clocks go back by half an hour.
      {
        interval: 'hour',
        from: '2026-04-04T14:30:00Z',
        before: '2026-04-04T16:00:00Z',
        time_zone: 'Australia/Lord_Howe',
      },
      ['2026-04-05T01:00:00+11:00', '2026-04-05T01:30:00+10:30', '2026-04-05T02:00:00+10:30'],
    ],
    [
      // The day has no midnight.
      { interval: 'day', from: '2018-11-03T12:00:00Z', before: '2018-11-05T00:00:00Z', time_zone: 'America/Sao_Paulo' },
      ['2018-11-03T00:00:00-03:00', '2018-11-04T01:00:00-02:00'],
    ],
    [
      // There is no 30 December.
      {
        interval: 'day',
        from: '2011-12-29T12:00:00-10:00',
        before: '2011-12-31T12:00:00+14:00',
        time_zone: 'Pacific/Apia',
      },
      ['2011-12-29T00:00:00-10:00', '2011-12-31T00:00:00+14:00'],
    ],
    [
      { interval: 'day', from: '2026-01-01T00:00:00+05:30', before: '2026-01-01T00:00:01+05:30', time_zone: '+05:30' },
      ['2026-01-01T00:00:00+05:30'],
    ],
  ])('is a whole local hour, day or month: %o', async (query, starts) => {
    expect(await startsOf(query)).toEqual(starts);
  });

  it('begins where the local text of its interval changes, in every zone', async () => {
    const anyQuery = fc.record({
      interval: fc.constantFrom('hour' as const, 'day' as const, 'month' as const),
      time_zone: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
      day: fc.integer({ min: 0, max: 20_000 }),
      days: fc.constantFrom(1, 3, 40),
    });
    await fc.assert(
      fc.asyncProperty(anyQuery, async ({ interval, time_zone, day, days }) => {
        const from = Date.UTC(1980, 0, 1) + day * DAY_MS;
        const before = from + (interval === 'hour' ? 2 : days) * DAY_MS;
        const toText = (ms: number) => new Date(ms).toISOString();
        const starts = await startsOf({ interval, time_zone, from: toText(from), before: toText(before) });
        expect(starts).toEqual(startsByQuarter(interval, time_zone, from, before));
      }),
      propertyRuns(60),
    );
  });
});

/** Returns the starts of buckets as one finds them who looks at every quarter of an hour. */
function startsByQuarter(interval: string, timeZone: string, from: number, before: number): readonly string[] {
  const format = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const offset = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const labelOf = (ms: number) => {
    const [date = '', time = ''] = format.format(ms).split(' ');
    const zone = String(offset.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value).replace(
      /GMT(\+00:00)?/,
      '',
    );
    const start = `${date}T${time}${zone || 'Z'}`;
    return {
      start,
      label:
        interval === 'month' ? date.slice(0, 7) : interval === 'day' ? date : `${date} ${time.slice(0, 2)} ${zone}`,
    };
  };
  const starts: string[] = [];
  let last = labelOf(from - 1);
  let begun = from;
  // The begin of the first bucket is before the range.
  for (const { label } = labelOf(from); labelOf(begun - 900_000).label === label;) begun -= 900_000;
  last = labelOf(begun - 900_000);
  for (let at = begun; at < before; at += 900_000) {
    const here = labelOf(at);
    if (here.label === last.label || (interval !== 'hour' && here.label < last.label)) continue;
    starts.push(here.start);
    last = here;
  }
  return starts;
}

describe('the figures of an order', () => {
  it('are its placing, and the last entry of each status, with its current total', () => {
    const times = { paid_at: '2026-01-02T00:00:00.000Z', cancelled_at: '2026-01-03T00:00:00.000Z' };
    const order = anOrder({ status: 'cancelled', created_at: '2026-01-01T00:00:00.000Z', ...times });
    const { total } = order;
    expect(figuresOf(order, ORDERS)).toEqual([
      { at: '2026-01-01T00:00:00.000Z', status: 'placed', total },
      { at: times.paid_at, status: 'paid', total },
      { at: times.cancelled_at, status: 'cancelled', total },
    ]);
  });
});

describe('a query for statistics', () => {
  const VALID = { interval: 'day', from: '2026-01-01T00:00:00Z', before: '2026-02-01T00:00:00Z' } as const;

  it.each<[object, readonly string[]]>([
    [{}, ['interval: invalid_value', 'from: required', 'before: required']],
    [{ ...VALID, interval: 'week' }, ['interval: invalid_value']],
    [{ ...VALID, from: '2026-01-01' }, ['from: invalid_format']],
    [{ ...VALID, from: '1899-12-31T23:59:59Z' }, ['from: out_of_range']],
    [{ ...VALID, before: '2100-01-01T00:00:00Z' }, ['before: out_of_range']],
    [{ ...VALID, before: VALID.from }, ['before: out_of_range']],
    [{ ...VALID, time_zone: 'Europe/Nowhere' }, ['time_zone: invalid_value']],
    [{ ...VALID, time_zone: 'x'.repeat(100_000) }, ['time_zone: invalid_value']],
    [{ ...VALID, time_zone: 1 }, ['time_zone: wrong_type']],
    [{ ...VALID, zone: 'UTC' }, ['zone: unknown_field']],
    [{ ...VALID, interval: 'hour', before: '2027-02-21T16:00:01Z' }, ['before: out_of_range']],
  ])('is rejected: %o', (input, expected) => {
    expect(parseStatisticsQuery(input)._unsafeUnwrapErr()).toMatchObject(invalidFields(...expected));
  });

  it('has at most 10,000 buckets and rows', async () => {
    const hours = { interval: 'hour', from: '2026-01-01T00:00:00Z' } as const;
    expect(await startsOf({ ...hours, before: '2027-02-21T16:00:00Z' })).toHaveLength(10_000);
    // One bucket more, as the first one begins before the range.
    const shifted = { ...hours, from: '2026-01-01T00:30:00Z', before: '2027-02-21T16:30:00Z' };
    expect((await read(shifted))._unsafeUnwrapErr()).toMatchObject(invalidFields('before: out_of_range'));
  });

  it('has the buckets that may have figures alone, unless others were counted meanwhile', async () => {
    const centuries = { interval: 'month', from: '1900-01-01T00:00:00Z', before: '2099-12-31T23:59:59Z' } as const;
    const month = { from: '2026-03-05T00:00:00.000Z', before: '2026-03-06T00:00:00.000Z' };
    const { rows, as_of } = (await read(centuries, month))._unsafeUnwrap();
    expect(as_of).toBe(7);
    expect(rows.map(({ start }) => start)).toContain('2026-03-01T00:00:00Z');
    expect(rows.length).toBeLessThan(8);
    expect((await read(centuries, month, 6))._unsafeUnwrap().rows).toHaveLength(2400);
    expect((await read(centuries, null))._unsafeUnwrap()).toEqual({ rows: [], as_of: 7 });
    // The first bucket is whole, also where it begins before the range.
    const later = { ...centuries, from: '2026-03-20T00:00:00Z', before: '2026-04-01T00:00:00Z' };
    expect((await read(later, month))._unsafeUnwrap().rows).toHaveLength(1);
    expect(
      (await read({ ...later, from: '2027-01-01T00:00:00Z', before: '2028-01-01T00:00:00Z' }, month))._unsafeUnwrap()
        .rows,
    ).toEqual([]);
  });

  it('of an invalid owner throws', () => {
    expect(() => readOrderStatistics(store, '', VALID)).toThrow(TypeError);
  });
});
