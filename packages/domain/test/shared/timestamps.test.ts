import { parseOrderVersionQuery } from '@orders/domain';
import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invalidFields } from '../fixtures/a-domain.ts';

/** Parses a date and time as the only member of a query. */
const parse = (at: string) => parseOrderVersionQuery({ at });
const parsed = (at: string) => parse(at)._unsafeUnwrap().at;

const digits = (count: number, length: number) => `${count}`.padStart(length, '0');
const MINUTE_MS = 60_000;
const earliest = Date.parse('0001-01-02T00:00:00.000Z');
const latest = Date.parse('9999-12-30T23:59:59.999Z');

describe('a date and time', () => {
  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02t03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.6Z', '2026-01-02T03:04:05.600Z'],
    ['2026-01-02T03:04:05.06Z', '2026-01-02T03:04:05.060Z'],
    ['2026-01-02T03:04:05.678901234Z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02T03:04:05.999999999Z', '2026-01-02T03:04:05.999Z'],
    ['2026-01-02T03:04:05+00:00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05-00:00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05+05:45', '2026-01-01T21:19:05.000Z'],
    ['2026-01-02T03:04:05-09:30', '2026-01-02T12:34:05.000Z'],
    ['2026-01-01T00:00:00+23:59', '2025-12-31T00:01:00.000Z'],
    ['2025-12-31T23:59:59.999-23:59', '2026-01-01T23:58:59.999Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('is accepted and converted to UTC: %s', (text, expected) => {
    expect(parsed(text)).toBe(expected);
  });

  it.each([
    '',
    '2026-01-02',
    '2026-01-02T03:04Z',
    '2026-01-02T03:04:05',
    '2026-01-02 03:04:05Z',
    '2026-01-02T03:04:05.Z',
    '2026-01-02T03:04:05,6Z',
    '2026-01-02T03:04:05.1234567890Z',
    '2026-01-02T03:04:05+0100',
    '2026-01-02T03:04:05+01',
    '2026-01-02T03:04:05+1:00',
    '2026-01-02T03:04:05 01:00',
    '2026-01-02T03:04:05+24:00',
    '2026-01-02T03:04:05+01:60',
    '2026-01-02T03:04:05Z+01:00',
    '2026-01-02T24:00:00Z',
    '2026-01-02T03:60:00Z',
    '2016-12-31T23:59:60Z',
    '2026-00-02T03:04:05Z',
    '2026-13-02T03:04:05Z',
    '2026-01-00T03:04:05Z',
    '2026-01-32T03:04:05Z',
    '2026-02-30T03:04:05Z',
    '2026-04-31T03:04:05Z',
    '2025-02-29T03:04:05Z',
    '1900-02-29T03:04:05Z',
    '0000-01-01T00:00:00Z',
    '0000-12-31T23:59:59-01:00',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '10000-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    ' 2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05Z ',
    '2026-01-02T03:04:05Z\n',
    '２０２６-01-02T03:04:05Z',
    '2026-W01-1T03:04:05Z',
    'now',
    '1767323045',
  ])('is rejected: %j', (text) => {
    expect(parse(text)._unsafeUnwrapErr()).toMatchObject(invalidFields('at: invalid_format'));
  });

  it.each([null, 5, new Date(0), ['2026-01-02T03:04:05Z']])('is text, and not %j', (value) => {
    const query = Object.assign({}, { at: value });
    // @ts-expect-error -- JavaScript callers can pass any value
    const result = parseOrderVersionQuery(query);
    expect(result._unsafeUnwrapErr()).toMatchObject(invalidFields('at: wrong_type'));
  });

  it('is the same instant in every offset, case and precision', () => {
    const instant = fc.integer({ min: earliest, max: latest });
    const offset = fc.integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 });
    fc.assert(
      fc.property(instant, offset, fc.integer({ min: 0, max: 6 }), fc.boolean(), (time, minutes, more, isLower) => {
        const local = new Date(time + minutes * MINUTE_MS).toISOString().slice(0, -1);
        const distance = Math.abs(minutes);
        const zone = `${minutes < 0 ? '-' : '+'}${digits(Math.floor(distance / 60), 2)}:${digits(distance % 60, 2)}`;
        const text = `${local}${'9'.repeat(more)}${zone}`;
        expect(parsed(isLower ? text.toLowerCase() : text)).toBe(new Date(time).toISOString());
      }),
      propertyRuns(500),
    );
  });

  it('is accepted for existing days alone', () => {
    const day = fc.record({
      year: fc.integer({ min: 1, max: 9999 }),
      month: fc.integer({ min: 0, max: 14 }),
      date: fc.integer({ min: 0, max: 33 }),
    });
    fc.assert(
      fc.property(day, ({ year, month, date }) => {
        const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
        const lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        const exists = date >= 1 && date <= (lengths[month - 1] ?? 0);
        expect(parse(`${digits(year, 4)}-${digits(month, 2)}-${digits(date, 2)}T12:00:00Z`).isOk()).toBe(exists);
      }),
      propertyRuns(500),
    );
  });

  it('is parsed or rejected for any text, without an exception', () => {
    const likeTime = fc.stringMatching(/^[-+.:0-9TtZz ]{0,36}$/);
    fc.assert(
      fc.property(fc.oneof(fc.string(), likeTime), (text) => {
        const result = parse(text);
        // A parsed time is a timestamp, which is parsed to itself.
        const again = result.andThen(({ at }) => parse(at ?? ''));
        expect(again).toEqual(result);
      }),
      propertyRuns(500),
    );
  });
});
