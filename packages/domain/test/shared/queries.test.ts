import {
  parseCustomerQuery,
  parseItemQuery,
  parseOrderQuery,
  parseOrderVersionQuery,
  parsePageQuery,
} from '@orders/domain';
import { EVENT_TYPES, FEED_START, type FeedQueryInput, parseFeedQuery } from '@orders/domain/events';
import { parseDeliveryQuery } from '@orders/domain/webhooks';
import type { Result } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { CUSTOMER, invalidFields, NOW, UNKNOWN_ID } from '../fixtures/a-domain.ts';

type Query = Readonly<Record<string, unknown>>;
type Parse = (query: object) => Result<unknown, unknown>;

/** The filters of every list of aggregates with times, when none is given. */
const COMMON = {
  ids: null,
  created_at_from: null,
  created_at_before: null,
  updated_at_from: null,
  updated_at_before: null,
};

/** The parsers of queries with a member that only other queries have, and the query of an absent one. */
const PARSERS: readonly (readonly [string, Parse, foreign: string, absent: Query])[] = [
  ['endpoints', parsePageQuery, 'status', { sort: '-created_at', limit: 20, offset: 0, after: null }],
  ['customers', parseCustomerQuery, 'status', { sort: '-created_at', limit: 20, offset: 0, after: null, ...COMMON }],
  [
    'orders',
    (query) => parseOrderQuery(query),
    'types',
    {
      sort: '-created_at',
      limit: 20,
      offset: 0,
      after: null,
      status: null,
      customer_id: null,
      reference: null,
      reference_prefix: null,
      lookup: null,
      ...COMMON,
    },
  ],
  ['items', parseItemQuery, 'sort', { start: 0, limit: 20, after: null }],
  ['versions', parseOrderVersionQuery, 'offset', { limit: 20, after: null, at: null }],
  [
    'events',
    (query) => parseFeedQuery(query),
    'offset',
    { after: null, start: 'oldest', limit: 20, types: null, include: [] },
  ],
  ['deliveries', parseDeliveryQuery, 'offset', { limit: 20, after: null, status: null }],
];

describe.each(PARSERS)('a query for %s', (_, parse, foreign, absent) => {
  it('has default values, and a limit of 1 to 100', () => {
    expect(parse({})._unsafeUnwrap()).toEqual(absent);
    for (const limit of [1, 100]) expect(parse({ limit })._unsafeUnwrap()).toMatchObject({ limit });
    for (const limit of [0, -1, 101, Number.NaN, Infinity])
      expect(parse({ limit })._unsafeUnwrapErr()).toMatchObject(
        invalidFields('limit: out_of_range (must be from 1 to 100)'),
      );
    expect(parse({ limit: 1.5 })._unsafeUnwrapErr()).toMatchObject(invalidFields('limit: wrong_type'));
  });

  it('is rejected with every unknown member, also one without a value', () => {
    expect(parse({ Limit: 1, limit: 0, [foreign]: undefined })._unsafeUnwrapErr()).toMatchObject(
      invalidFields('Limit: unknown_field', `${foreign}: unknown_field`, 'limit: out_of_range'),
    );
  });

  it.each([null, 'paid', 7, [[]], new Map()])('is rejected unless it is an object, such as %j', (query) => {
    // @ts-expect-error -- JavaScript callers can pass any value
    expect(parse(query)._unsafeUnwrapErr()).toMatchObject(invalidFields(': wrong_type'));
  });
});

const [, CUSTOMERS_QUERY, ORDERS_QUERY, ITEMS, VERSIONS, EVENTS, DELIVERIES] = PARSERS.map(([, parse]) => parse);
const POSITION = { position: 7, event: '80010000000000ff' };
const SORTS = 'created_at, -created_at, updated_at, -updated_at';
const STATUSES = 'pending, paid, shipped, delivered, cancelled';

/** Positions that no page of orders ends with. */
const FORGED = [
  { value: '', id: UNKNOWN_ID },
  { value: '0', id: UNKNOWN_ID },
  { value: '2026-01-02', id: UNKNOWN_ID },
  { value: '2026-01-02T03:04:05Z', id: UNKNOWN_ID },
  { value: '2026-01-02T03:04:05.678000Z', id: UNKNOWN_ID },
  { value: '2026-01-02T03:04:05.678+00:00', id: UNKNOWN_ID },
  { value: '2026-02-30T03:04:05.678Z', id: UNKNOWN_ID },
  { value: `${NOW} `, id: UNKNOWN_ID },
  { value: '0000-01-01T00:00:00.000Z', id: UNKNOWN_ID },
  { value: '-000001-01-01T00:00:00.000Z', id: UNKNOWN_ID },
  { value: '+010000-01-01T00:00:00.000Z', id: UNKNOWN_ID },
  { value: NOW, id: '' },
  { value: NOW, id: "' or 1=1" },
  { value: NOW, id: `${UNKNOWN_ID}\n` },
];

const after = (value: unknown, id = UNKNOWN_ID) => ({ after: { value, id } });

/** Invalid queries, with the fields of their errors. */
const INVALID: readonly (readonly [Parse | undefined, Query, fields: string | readonly string[]])[] = [
  [ORDERS_QUERY, { offset: -1 }, 'offset: out_of_range (must be from 0 to 10000)'],
  [ORDERS_QUERY, { offset: 10_001 }, 'offset: out_of_range'],
  [ORDERS_QUERY, { offset: 0.5 }, 'offset: wrong_type'],
  ...['', 'total', '+created_at', 'CREATED_AT'].map(
    (sort) => [ORDERS_QUERY, { sort }, `sort: invalid_value (must be one of ${SORTS})`] as const,
  ),
  ...[
    [],
    [''],
    Array.from({ length: 6 }, () => 'paid'),
    ['paid', 'refunded'],
    ['Paid'],
    ['constructor'],
    [['paid']],
  ].map((status) => [ORDERS_QUERY, { status }, `status: invalid_value (must be 1 to 5 of ${STATUSES})`] as const),
  ...['', 'c-7', `${UNKNOWN_ID}\n`, `0${UNKNOWN_ID}`].map(
    (customer_id) => [ORDERS_QUERY, { customer_id }, 'customer_id: invalid_format'] as const,
  ),
  [ORDERS_QUERY, { reference: '' }, 'reference: too_short'],
  [ORDERS_QUERY, { reference: 'x'.repeat(65) }, 'reference: too_long'],
  [ORDERS_QUERY, { reference: 'a\0' }, 'reference: invalid_value'],
  [ORDERS_QUERY, { reference_prefix: 'P' }, 'reference_prefix: too_short'],
  [ORDERS_QUERY, { reference_prefix: 'x'.repeat(65) }, 'reference_prefix: too_long'],
  [ORDERS_QUERY, { reference_prefix: 'PO', sort: 'created_at' }, 'sort: invalid_value'],
  ...['', 'PO\0', 'PO\uD800', 7].map(
    (value) => [ORDERS_QUERY, { reference_prefix: 'PO', ...after(value) }, 'after: invalid_value'] as const,
  ),
  [ORDERS_QUERY, { ids: [] }, 'ids: too_short'],
  [ORDERS_QUERY, { ids: UNKNOWN_ID }, 'ids: wrong_type'],
  [ORDERS_QUERY, { ids: Array(101).fill(UNKNOWN_ID) }, 'ids: too_long (must have at most 100 ids)'],
  [ORDERS_QUERY, { ids: [UNKNOWN_ID, 'c-7'] }, 'ids[1]: invalid_format'],
  [
    CUSTOMERS_QUERY,
    { ids: [UNKNOWN_ID], sort: 'created_at', offset: 0 },
    ['offset: invalid_value (cannot be combined with ids)', 'sort: invalid_value (cannot be combined with ids)'],
  ],
  ...['created_at_from', 'created_at_before', 'updated_at_from', 'updated_at_before'].map(
    (name) =>
      [
        CUSTOMERS_QUERY,
        { [name]: '2026-01-02' },
        `${name}: invalid_format (must be an RFC 3339 date and time in the years 1 to 9999, such as 2026-01-02T03:04:05Z)`,
      ] as const,
  ),
  ...['2026-01-02T03:04:05.678Z', '2026-01-02T04:04:05.678+02:00'].map(
    (updated_at_before) =>
      [
        ORDERS_QUERY,
        { updated_at_from: NOW, updated_at_before },
        'updated_at_before: invalid_value (must be after updated_at_from)',
      ] as const,
  ),
  [
    ORDERS_QUERY,
    { updated_at_from: NOW, offset: 0 },
    'offset: invalid_value (cannot be combined with updated_at_from in this order)',
  ],
  [ORDERS_QUERY, { reference_prefix: 'PO', status: ['paid'], offset: 0 }, 'offset: invalid_value'],
  [ORDERS_QUERY, { ...after(NOW), offset: 0 }, 'offset: invalid_value (cannot be combined with after)'],
  ...FORGED.map(
    ({ value, id }) =>
      [ORDERS_QUERY, after(value, id), 'after: invalid_value (must be the end position of a page)'] as const,
  ),
  [ORDERS_QUERY, { reference_prefix: '😀' }, 'reference_prefix: too_short (must have at least 2 characters)'],
  ...[
    'external.shop:',
    'external.Shop:1',
    'external.:1',
    'shop:1',
    'own.vin:1',
    'email:ada@example.com',
    ':',
    '',
    `external.shop:${'😀'.repeat(256)}`,
  ].map((lookup) => [ORDERS_QUERY, { lookup }, 'lookup: invalid_format'] as const),
  [ORDERS_QUERY, { lookup: 'external.shop:\0' }, 'lookup: invalid_value'],
  [
    ORDERS_QUERY,
    { lookup: 'external.shop:1', ids: [UNKNOWN_ID], offset: 0, sort: 'created_at' },
    [
      'ids: invalid_value (cannot be combined with lookup)',
      'offset: invalid_value',
      'sort: invalid_value',
      'offset: invalid_value',
      'sort: invalid_value',
    ],
  ],
  [ORDERS_QUERY, { lookup: 'external.shop:1', reference_prefix: 'PO' }, 'reference_prefix: invalid_value'],
  [
    ORDERS_QUERY,
    { sort: 'x', limit: 0, offset: -1, ...after('', ''), status: [], customer_id: '', reference: '' },
    [
      'sort: invalid_value',
      'limit: out_of_range',
      'offset: out_of_range',
      'after: invalid_value',
      'offset: invalid_value',
      'status: invalid_value',
      'customer_id: invalid_format',
      'reference: too_short',
    ],
  ],
  ...[-1, 0.5, Number.NaN, 2 ** 53].map((value) => [ITEMS, after(value), 'after: invalid_value'] as const),
  [ITEMS, { ...after(0), offset: 0 }, 'offset: invalid_value'],
  ...[0, -1, 1.5, Number.NaN, 2 ** 53].map((value) => [VERSIONS, after(value), 'after: invalid_value'] as const),
  [VERSIONS, { at: '' }, 'at: invalid_format'],
  [VERSIONS, { at: NOW, ...after(1) }, 'at: invalid_value (cannot be combined with after)'],
  [VERSIONS, { at: 'x', ...after(0) }, ['after: invalid_value', 'at: invalid_format', 'at: invalid_value']],
  ...[0, 1.5, 2 ** 53].map((value) => [DELIVERIES, after(value), 'after: invalid_value'] as const),
  [DELIVERIES, { status: 'lost' }, 'status: invalid_value (must be one of pending, delivered, failed)'],
  ...[
    { ...POSITION, position: -1 },
    { ...FEED_START, position: -1 },
    { ...POSITION, position: 1.5 },
    { ...POSITION, position: 2 ** 53 },
    { ...POSITION, position: 0 },
    { ...POSITION, event: '80010000000000FF' },
    { ...POSITION, event: '80010000000000f' },
    { ...POSITION, event: '080010000000000ff' },
  ].map((position) => [EVENTS, { after: position }, 'after: invalid_value'] as const),
  [EVENTS, { start: 'newest' }, 'start: invalid_value (must be one of oldest, latest)'],
  [EVENTS, { start: 'latest', after: POSITION }, 'start: invalid_value (must not be latest together with after)'],
  ...[[], ['order.paid', 'order.lost'], Array.from({ length: EVENT_TYPES.length + 1 }, () => 'order.paid')].map(
    (types) =>
      [
        EVENTS,
        { types },
        `types: invalid_value (must be 1 to ${EVENT_TYPES.length} of ${EVENT_TYPES.join(', ')})`,
      ] as const,
  ),
  ...[['resource', 'resource'], ['actor']].map(
    (include) => [EVENTS, { include }, 'include: invalid_value (must be 0 to 1 of resource)'] as const,
  ),
];

it.each(INVALID)('a query is rejected: %o, %o', (parse, query, fields) => {
  expect(parse?.(query)._unsafeUnwrapErr()).toMatchObject(invalidFields(...[fields].flat()));
});

describe('a query for orders', () => {
  it('has ids in lower case, and statuses once, in their order', () => {
    const input = {
      after: { value: '0001-01-01T00:00:00.000Z', id: UNKNOWN_ID.toUpperCase() },
      customer_id: CUSTOMER.toUpperCase(),
      reference: 'x'.repeat(64),
      status: ['paid', 'pending', 'paid'],
      sort: 'updated_at',
    };
    expect(parseOrderQuery(input)._unsafeUnwrap()).toEqual({
      ...input,
      after: { value: '0001-01-01T00:00:00.000Z', id: UNKNOWN_ID },
      customer_id: CUSTOMER,
      status: ['pending', 'paid'],
      reference_prefix: null,
      lookup: null,
      ...COMMON,
      limit: 20,
      offset: 0,
    });
    expect(parseOrderQuery({ offset: 10_000 })._unsafeUnwrap().offset).toBe(10_000);
  });

  it('has times in UTC, ids once and in lower case, and an offset beside a range of the sorted column', () => {
    const input = {
      created_at_from: '2026-01-02T04:04:05.6789+01:00',
      created_at_before: '2026-01-02T03:04:05.679Z',
      offset: 7,
    };
    expect(parseOrderQuery(input)._unsafeUnwrap()).toMatchObject({ ...input, created_at_from: NOW });
    expect(parseOrderQuery({ ids: [UNKNOWN_ID.toUpperCase(), UNKNOWN_ID] })._unsafeUnwrap()).toMatchObject({
      ids: [UNKNOWN_ID],
      sort: '-created_at',
    });
  });

  it('has a lookup whose name ends at the first colon', () => {
    for (const value of ['a:b', ' ', '😀'.repeat(255)])
      expect(parseOrderQuery({ lookup: `external.shop-1:${value}` })._unsafeUnwrap()).toMatchObject({
        lookup: ['external.shop-1', value],
        sort: '-created_at',
      });
  });

  it('by the first characters of references is sorted by these', () => {
    const position = { value: 'PO-1', id: UNKNOWN_ID };
    const query = parseOrderQuery({ reference_prefix: 'PO', after: position })._unsafeUnwrap();
    expect(query).toMatchObject({ sort: 'reference', after: position });
  });
});

describe('a query for events', () => {
  const parsed = (input: FeedQueryInput) => parseFeedQuery(input)._unsafeUnwrap();

  it('accepts every member, and has its types once, in their order', () => {
    const input = { after: POSITION, start: 'oldest', limit: 100, types: ['order.paid'], include: ['resource'] };
    expect(parsed(input)).toEqual(input);
    expect(parsed({ start: 'latest', after: undefined }).start).toBe('latest');
    expect(parsed({ after: FEED_START }).after).toEqual({ position: 0, event: '0'.repeat(16) });
    expect(parsed({ types: EVENT_TYPES }).types).toEqual(EVENT_TYPES);
    const types = ['customer.deleted', 'order.paid', 'customer.deleted', 'order.placed'];
    expect(parsed({ types }).types).toEqual(['order.placed', 'order.paid', 'customer.deleted']);
  });
});
