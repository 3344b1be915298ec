import { freeTextBytes, type OrderVersion, PAGE_BYTES_MAX, PAGE_ITEMS_MAX } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';
import { allVersions, listingVersions, selectingVersions, versionPage } from './faulty-versions.ts';

const items = ({ order }: OrderVersion): number => order?.items.length ?? 0;
const bytes = ({ order }: OrderVersion): number => (order ? freeTextBytes(order) : 0);
const metadataBytes = ({ order }: OrderVersion): number => (order ? freeTextBytes({ metadata: order.metadata }) : 0);

const EACH_ONCE = /following pages of every size return each version once/;
const AT = /is the highest that occurred then or before/;
const BYTES = /holds up to 256 KiB of free text/;

const faults: readonly Fault[] = [
  [
    'lists the oldest version first',
    selectingVersions((all, query, id) => {
      const isBehind = (version: number, position: number) => version > position;
      return versionPage(all.toReversed(), query, id, { isBehind });
    }),
    /has the newest first/,
  ],
  [
    'ignores the position',
    listingVersions((orders) => (owner, id, query) => orders.listVersions(owner, id, { ...query, after: null })),
    EACH_ONCE,
    /returned twice/,
  ],
  [
    'starts a page with the version of the position',
    selectingVersions((all, query, id) =>
      versionPage(all, query, id, { isBehind: (version, position) => version <= position }),
    ),
    EACH_ONCE,
    /returned twice/,
  ],
  [
    'omits the version after the position',
    selectingVersions((all, query, id) =>
      versionPage(all, query, id, { isBehind: (version, position) => version < position - 1 }),
    ),
    EACH_ONCE,
  ],
  [
    'ignores the limit',
    listingVersions((orders) => (owner, id, query) => orders.listVersions(owner, id, { ...query, limit: 100 })),
    EACH_ONCE,
    /longer than its limit/,
  ],
  [
    'returns a next position on the last page',
    listingVersions(
      (orders) => (owner, id, query) =>
        orders.listVersions(owner, id, query).map(({ data }) => {
          const last = data.at(-1);
          return { data, next: last ? { value: last.version, id } : null };
        }),
    ),
    EACH_ONCE,
    /a page was empty/,
  ],
  [
    'returns a next position behind the first version',
    listingVersions(
      (orders) => (owner, id, query) =>
        orders.listVersions(owner, id, query).map(({ data, next }) => {
          const isLast = query.after !== null && data.at(-1)?.version === 1;
          return { data, next: isLast ? { value: 1, id } : next };
        }),
    ),
    /whether or not a version has its number/,
    /after 2/,
  ],
  [
    'ends a page one version too early',
    listingVersions(
      (orders) => (owner, id, query) =>
        orders.listVersions(owner, id, { ...query, limit: Math.max(query.limit - 1, 1) }),
    ),
    EACH_ONCE,
    /limit 2/,
  ],
  [
    'returns no next position',
    listingVersions(
      (orders) => (owner, id, query) => orders.listVersions(owner, id, query).map(({ data }) => ({ data, next: null })),
    ),
    EACH_ONCE,
    /limit 1/,
  ],
  [
    'returns the next version as the position',
    listingVersions(
      (orders) => (owner, id, query) =>
        orders
          .listVersions(owner, id, query)
          .map(({ data, next }) => ({ data, next: next && { ...next, value: next.value - 1 } })),
    ),
    EACH_ONCE,
  ],
  [
    'needs a version with the number of the position',
    selectingVersions((all, query, id) =>
      query.after === null || all.some(({ version }) => version === query.after?.value)
        ? versionPage(all, query, id)
        : { data: [], next: null },
    ),
    /whether or not a version has its number/,
    /after 5/,
  ],
  [
    'continues at an offset',
    ({ orders }) => {
      const counts = new Map<string, number>();
      return {
        orders: {
          listVersions: (owner, id, query) =>
            allVersions(orders, owner, id).map((all) => {
              if (query.after === null) counts.set(id, all.length);
              const added = all.length - (counts.get(id) ?? 0);
              const isBehind = (version: number, position: number) => version < position + added;
              return versionPage(all, query, id, { isBehind });
            }),
        },
      };
    },
    /continues after versions that were made in between/,
  ],
  [
    'does not limit the items of a page',
    selectingVersions((all, query, id) => versionPage(all, query, id, { weigh: bytes, max: PAGE_BYTES_MAX })),
    /ends before its items exceed 1,000/,
  ],
  [
    'accepts one item more than 1,000',
    selectingVersions((all, query, id) => versionPage(all, query, id, { weigh: items, max: PAGE_ITEMS_MAX + 100 })),
    /ends before its items exceed 1,000/,
  ],
  [
    'counts the items of a deleted order',
    selectingVersions((all, query, id) =>
      versionPage(all, query, id, { weigh: ({ order }) => order?.items.length ?? 100, max: PAGE_ITEMS_MAX }),
    ),
    /which a deletion does not count towards/,
  ],
  [
    'does not limit the bytes of a page',
    selectingVersions((all, query, id) => versionPage(all, query, id, { weigh: items, max: PAGE_ITEMS_MAX })),
    BYTES,
  ],
  [
    'accepts one byte more than 256 KiB',
    selectingVersions((all, query, id) => versionPage(all, query, id, { weigh: bytes, max: PAGE_BYTES_MAX + 1 })),
    BYTES,
  ],
  [
    'ends a page before it has 256 KiB',
    selectingVersions((all, query, id) => versionPage(all, query, id, { weigh: bytes, max: PAGE_BYTES_MAX - 1 })),
    BYTES,
  ],
  [
    'counts no notes',
    selectingVersions((all, query, id) => versionPage(all, query, id, { weigh: metadataBytes, max: PAGE_BYTES_MAX })),
    BYTES,
  ],
  [
    'ignores the time',
    listingVersions((orders) => (owner, id, query) => orders.listVersions(owner, id, { ...query, at: null })),
    AT,
  ],
  [
    'selects a version that occurred before the time, not at it',
    selectingVersions((all, query, id) =>
      query.at === null
        ? versionPage(all, query, id)
        : { data: all.filter(({ occurred_at }) => occurred_at < (query.at ?? '')).slice(0, 1), next: null },
    ),
    AT,
    /at 2026-/,
  ],
  [
    'selects the lowest of versions at equal times',
    selectingVersions((all, query, id) => {
      const page = versionPage(all, query, id);
      const [found] = page.data;
      const lowest = all.findLast(({ occurred_at }) => occurred_at === found?.occurred_at);
      return query.at === null || !lowest ? page : { data: [lowest], next: null };
    }),
    AT,
  ],
  [
    'compares times in seconds',
    selectingVersions((all, query, id) =>
      versionPage(all, { ...query, at: query.at && query.at.replace(/\.\d+/, '.000') }, id),
    ),
    AT,
  ],
  [
    'selects no deletion',
    selectingVersions((all, query, id) => {
      const undeleted = all.filter(({ order }) => query.at === null || order !== null);
      return versionPage(undeleted, query, id);
    }),
    AT,
  ],
  [
    'returns a next position for a time',
    selectingVersions((all, query, id) => {
      const page = versionPage(all, query, id);
      const [found] = page.data;
      return query.at !== null && found ? { ...page, next: { value: found.version, id } } : page;
    }),
    AT,
    /at 2026-/,
  ],
  [
    'selects the first version for an earlier time',
    selectingVersions((all, query, id) => {
      const page = versionPage(all, query, id);
      return page.data.length === 0 ? { ...page, data: all.slice(-1) } : page;
    }),
    /does not exist before the first version/,
    /at 2026-/,
  ],
  [
    'returns order_not_found for an earlier time',
    listingVersions(
      (orders) => (owner, id, query) =>
        orders
          .listVersions(owner, id, query)
          .andThen((page) =>
            page.data.length === 0 && query.at !== null
              ? errAsync({ type: 'order_not_found', id } as const)
              : okAsync(page),
          ),
    ),
    /does not exist before the first version/,
  ],
  [
    'lists every version until the time',
    selectingVersions((all, query, id) => {
      const until = all.filter(({ occurred_at }) => query.at === null || occurred_at <= query.at);
      return versionPage(until, { ...query, at: null }, id);
    }),
    /the only element whatever the limit/,
  ],
];

describe('the contract of the order port, on pages of versions,', () => {
  itCatches(orderRepositoryContract, faults);
});
