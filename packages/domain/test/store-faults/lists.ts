import type { PageQuery } from '@orders/domain';
import { OwnersById, pageOf, positionOf } from '../contract-faults.ts';
import type { StoreFault } from './every-kind.ts';

const SIZES = /in pages of every size/;
const ALL = { offset: 0, after: null, limit: 100 } as const;

/** Returns a fault of a list that alters its queries. */
const altering = (
  does: string,
  alter: (query: PageQuery) => Partial<PageQuery>,
  ...detection: Detection
): StoreFault => [
  does,
  (store) => ({ list: (owner, query) => store.list(owner, { ...query, ...alter(query) }) }),
  ...detection,
];

/** Returns a fault of a list that splits all aggregates into pages by other rules. */
const paging = (does: string, { tie, isBehind }: Rules, ...detection: Detection): StoreFault => [
  does,
  (store) => ({
    list: (owner, query) =>
      store.list(owner, { ...query, ...ALL }).map(({ data }) => pageOf(data, query, tie, isBehind)),
  }),
  ...detection,
];

type Detection = readonly [detectedBy: RegExp, message?: RegExp];
interface Rules {
  readonly tie: Parameters<typeof pageOf>[2];
  readonly isBehind?: Parameters<typeof pageOf>[3];
}

const same = (direction: number): number => direction;
let way = 1;

/** Faults of lists. */
export const listFaults: readonly StoreFault[] = [
  altering(
    'returns one element too many on the first page',
    ({ offset, limit }) => ({ limit: offset === 0 ? limit + 1 : limit }),
    SIZES,
    /a page was longer than its limit/,
  ),
  altering('ends a page one element too late', ({ limit }) => ({ limit: limit + 1 }), SIZES),
  altering(
    'ends a page one element too early',
    ({ limit }) => ({ limit: Math.max(limit - 1, 1) }),
    /skips the number that an offset gives/,
  ),
  altering('ignores the limit', () => ({ limit: 100 }), SIZES),
  altering('ignores the offset', () => ({ offset: 0 }), /skips the number that an offset gives/),
  altering('ignores the position', () => ({ after: null }), SIZES, /an aggregate was returned twice/),
  altering(
    'ignores the direction',
    ({ sort }) => ({ sort: sort.endsWith('created_at') ? 'created_at' : 'updated_at' }),
    /is sorted by -created_at/,
  ),
  altering(
    'sorts by creation instead of change',
    ({ sort }) => ({ sort: sort.startsWith('-') ? '-created_at' : 'created_at' }),
    /is sorted by updated_at/,
  ),
  altering(
    'sorts ascending by default',
    ({ sort }) => ({ sort: sort === '-created_at' ? 'created_at' : sort }),
    /begins with the newest/,
  ),
  paging(
    'sorts equal times by ascending id in every direction',
    { tie: () => 1 },
    /is sorted by -updated_at, .* with equal timestamps/,
  ),
  paging(
    'sorts equal times in alternating directions',
    { tie: (direction) => direction * (way = -way) },
    /with equal timestamps/,
  ),
  paging(
    'continues after the time of a position, and omits aggregates with the same time',
    { tie: same, isBehind: (byTime) => byTime > 0 },
    /with equal timestamps/,
  ),
  paging(
    'continues at the time of a position, and repeats aggregates with the same time',
    { tie: same, isBehind: (byTime) => byTime >= 0 },
    /with equal timestamps/,
  ),
  paging(
    'starts a page with the last element of the previous page',
    { tie: same, isBehind: (byTime, byId) => (byTime || byId) >= 0 },
    SIZES,
    /an aggregate was returned twice/,
  ),
  [
    'starts from the beginning if the aggregate of a position was deleted',
    (store) => ({
      list: (owner, query) =>
        store
          .load(owner, query.after?.id ?? '')
          .andThen((found) => store.list(owner, { ...query, after: found ? query.after : null })),
    }),
    /continues after one that was deleted/,
  ],
  [
    'continues by offset instead of position',
    (store) => {
      const shown = new Map<string, number>();
      return {
        list: (owner, query) => {
          const offset = query.after ? (shown.get(query.after.id) ?? 0) : query.offset;
          return store.list(owner, { ...query, after: null, offset }).map((page) => {
            if (page.next) shown.set(page.next.id, offset + page.data.length);
            return page;
          });
        },
      };
    },
    /has none twice when others are added/,
  ],
  [
    'returns an empty page before the end',
    (store) => ({ list: (owner, query) => store.list(owner, query).map(({ next }) => ({ data: [], next })) }),
    SIZES,
    /a page was empty/,
  ],
  [
    'omits the last element',
    (store) => ({
      list: (owner, query) =>
        store
          .list(owner, query)
          .map(({ data, next }) => ({ data: next || data.length < 2 ? data : data.slice(0, -1), next })),
    }),
    SIZES,
    /: limit \d/,
  ],
  [
    'returns no next position',
    (store) => ({ list: (owner, query) => store.list(owner, query).map(({ data }) => ({ data, next: null })) }),
    SIZES,
  ],
  [
    'returns a next position after the last page',
    (store) => ({
      list: (owner, query) =>
        store.list(owner, query).map(({ data, next }) => ({ data, next: next ?? positionOf(data.at(-1), query.sort) })),
    }),
    /begins with the newest/,
  ],
  [
    'returns a next position after a full last page',
    (store) => ({
      list: (owner, query) =>
        store.list(owner, query).map(({ data, next }) => ({
          data,
          next: next ?? (data.length === query.limit ? positionOf(data.at(-1), query.sort) : null),
        })),
    }),
    SIZES,
  ],
  [
    'returns a next position for an empty list',
    (store) => ({
      list: (owner, query) =>
        store
          .list(owner, query)
          .map(({ data, next }) => ({ data, next: data.length === 0 ? { value: '', id: '' } : next })),
    }),
    /is an empty last page/,
  ],
  ...[SIZES, /is an empty last page/].map((test): StoreFault => [
    `lists the aggregates of another owner, as in: ${test.source}`,
    (store) => {
      const owners = new OwnersById();
      return {
        commit: (owner, write) => {
          if (write.kind === 'create') owners.note(write.after.id, owner);
          return store.commit(owner, write);
        },
        list: (owner, query) => store.list(owners.all().at(-1) ?? owner, query),
      };
    },
    test,
  ]),
  [
    'lists the same objects to every caller',
    (store) => {
      const listed = new Map<string, object>();
      return {
        list: (owner, query) =>
          store.list(owner, query).map((page) => {
            for (const one of page.data) {
              Object.assign(one, listed.get(one.id));
              listed.set(one.id, one);
            }
            return page;
          }),
      };
    },
    /has copies/,
  ],
];
