import { EVENT_TYPES, FEED_START, type FeedQueryInput, parseFeedQuery, positionOf } from '@orders/domain/events';
import { describe, expect, it } from 'vitest';
import { invalidFields } from '../fixtures/a-domain.ts';

const POSITION = { position: 7, event: '80010000000000ff' };

/** Returns the parsed query. */
function parsed(input: FeedQueryInput) {
  return parseFeedQuery(input)._unsafeUnwrap();
}

/** Returns the error of an invalid query. */
function invalidQuery(input: FeedQueryInput) {
  return parseFeedQuery(input)._unsafeUnwrapErr();
}

describe('a query for events', () => {
  it('has default values', () => {
    expect(parsed({})).toEqual({ after: null, start: 'oldest', limit: 20, types: null, include: [] });
  });

  it('accepts every member', () => {
    const input = { after: POSITION, start: 'oldest', limit: 100, types: ['order.paid'], include: ['resource'] };
    expect(parsed(input)).toEqual(input);
    expect(parsed({ start: 'latest', after: undefined }).start).toBe('latest');
    expect(parsed({ after: FEED_START }).after).toEqual({ position: 0, event: '0'.repeat(16) });
    expect(parsed({ include: [] }).include).toEqual([]);
    expect(parsed({ types: EVENT_TYPES }).types).toEqual(EVENT_TYPES);
  });

  it('sorts its types and drops duplicates', () => {
    const types = ['customer.deleted', 'order.paid', 'customer.deleted', 'order.placed'];
    expect(parsed({ types }).types).toEqual(['order.placed', 'order.paid', 'customer.deleted']);
  });

  const invalid: readonly (readonly [string, FeedQueryInput])[] = [
    ['after', { after: { ...POSITION, position: -1 } }],
    ['after', { after: { ...FEED_START, position: -1 } }],
    ['after', { after: { ...POSITION, position: 1.5 } }],
    ['after', { after: { ...POSITION, position: 2 ** 53 } }],
    ['after', { after: { ...POSITION, position: 0 } }],
    ['after', { after: { ...POSITION, event: '80010000000000FF' } }],
    ['after', { after: { ...POSITION, event: '80010000000000f' } }],
    ['after', { after: { ...POSITION, event: '080010000000000ff' } }],
    ['start', { start: 'newest' }],
    ['start', { start: 'latest', after: POSITION }],
    ['types', { types: [] }],
    ['types', { types: ['order.paid', 'order.lost'] }],
    ['types', { types: Array.from({ length: 12 }, () => 'order.paid') }],
    ['include', { include: ['resource', 'resource'] }],
    ['include', { include: ['actor'] }],
  ];
  it.each(invalid)('rejects an invalid %s: %j', (field, input) => {
    expect(parseFeedQuery(input)._unsafeUnwrapErr()).toMatchObject(invalidFields(`${field}: invalid_value`));
  });

  it('reports what each member must be', () => {
    const { errors } = invalidQuery({ start: 'newest', types: ['order.lost'], include: ['actor'] });
    expect(errors.map(({ field, message }) => `${field} ${message}`)).toEqual([
      'start must be one of oldest, latest',
      `types must be 1 to 11 of ${EVENT_TYPES.join(', ')}`,
      'include must be 0 to 1 of resource',
    ]);
    expect(invalidQuery({ start: 'latest', after: POSITION }).errors).toMatchObject([
      { field: 'start', message: 'must not be latest together with after' },
    ]);
  });

  it('rejects a limit outside of 1 to 100', () => {
    for (const limit of [0, 101, Infinity])
      expect(parseFeedQuery({ limit })._unsafeUnwrapErr()).toMatchObject(invalidFields('limit: out_of_range'));
    expect(parseFeedQuery({ limit: 1.5 })._unsafeUnwrapErr()).toMatchObject(invalidFields('limit: wrong_type'));
  });
});

describe('the position of an event', () => {
  it('has the last 16 digits of its id in lower case', () => {
    const event = { id: '019B0000-CCCC-7000-800A-00000000000B', position: 3 };
    expect(positionOf(event)).toEqual({ position: 3, event: '800a00000000000b' });
  });
});
