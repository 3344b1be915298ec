import type {
  Order,
  OrderNotFound,
  OrderRepository,
  OrderVersion,
  OrderVersionQuery,
  Owner,
  Page,
  Unavailable,
} from '@orders/domain';
import { okAsync, type ResultAsync } from 'neverthrow';
import type { Fault } from './contract-faults.ts';

type Inject = Fault[1];

/** Injects a store that alters every version that it returns. */
export const alteringVersions = (alter: (version: OrderVersion) => OrderVersion): Inject =>
  replacingVersions((all) => all.map(alter), alter);

/** Injects a store that replaces the versions of a page, or a version that it finds. */
export const replacingVersions =
  (
    listed: (all: readonly OrderVersion[]) => readonly OrderVersion[],
    found: (version: OrderVersion) => OrderVersion = (version) => version,
  ): Inject =>
  ({ orders }) => ({
    orders: {
      listVersions: (owner, id, query) =>
        orders.listVersions(owner, id, query).map(({ data, next }) => ({ data: listed(data), next })),
      findVersion: (owner, id, version) => orders.findVersion(owner, id, version).map(found),
    },
  });

/** Injects a store whose `listVersions` is made of the correct methods. */
export const listingVersions =
  (listVersions: (orders: OrderRepository) => OrderRepository['listVersions']): Inject =>
  ({ orders }) => ({ orders: { listVersions: listVersions(orders) } });

/** Injects a store whose `findVersion` is made of the correct methods. */
export const findingVersion =
  (findVersion: (orders: OrderRepository) => OrderRepository['findVersion']): Inject =>
  ({ orders }) => ({ orders: { findVersion: findVersion(orders) } });

/** Returns all versions of an order, newest first. */
export function allVersions(
  orders: OrderRepository,
  owner: Owner,
  id: string,
  after: OrderVersionQuery['after'] = null,
): ResultAsync<readonly OrderVersion[], OrderNotFound | Unavailable> {
  return orders
    .listVersions(owner, id, { limit: 100, after, at: null })
    .andThen(({ data, next }) =>
      next ? allVersions(orders, owner, id, next).map((more) => [...data, ...more]) : okAsync(data),
    );
}

/** Injects a store that selects a page of all versions of an order, which are sorted newest first. */
export const selectingVersions = (
  select: (all: readonly OrderVersion[], query: OrderVersionQuery, id: string) => Page<OrderVersion, number>,
): Inject =>
  listingVersions(
    (orders) => (owner, id, query) => allVersions(orders, owner, id).map((all) => select(all, query, id)),
  );

/** Returns a page of `all` that begins where `isBehind` starts to hold and ends before its weight exceeds `max`. */
export function versionPage(
  all: readonly OrderVersion[],
  { limit, after, at }: OrderVersionQuery,
  id: string,
  {
    isBehind = (version, position) => version < position,
    weigh = () => 0,
    max = 0,
  }: {
    readonly isBehind?: (version: number, position: number) => boolean;
    readonly weigh?: (version: OrderVersion) => number;
    readonly max?: number;
  } = {},
): Page<OrderVersion, number> {
  if (at !== null) return { data: all.filter(({ occurred_at }) => occurred_at <= at).slice(0, 1), next: null };
  const rest = all.filter(({ version }) => after === null || isBehind(version, after.value));
  let weight = 0;
  const end = rest.findIndex((version, index) => {
    weight += weigh(version);
    return index === limit || (weight > max && index > 0);
  });
  const data = end < 0 ? rest : rest.slice(0, end);
  const last = data.at(-1);
  return { data, next: last && end >= 0 ? { value: last.version, id } : null };
}

/** Injects a store that lists an additional version of an order after each write that ends like `cause`. */
export const recordingExtraVersions =
  (cause: 'key_only' | 'stale' | 'refused' | 'key_used'): Inject =>
  ({ orders }) => {
    const extra = new Set<string>();
    return {
      orders: {
        commit: (owner, write) => {
          const { id } = write.kind === 'create' ? write.after : write.before.aggregate;
          if (write.kind === cause) extra.add(id);
          return orders.commit(owner, write).mapErr((error) => {
            if (error.type === cause) extra.add(id);
            return error;
          });
        },
        listVersions: (owner, id, query) =>
          orders.listVersions(owner, id, query).map(({ data, next }) => {
            const [newest] = data;
            const more = newest && extra.has(id) ? [{ ...newest, version: newest.version + 1 }] : [];
            return { data: [...more, ...data], next };
          }),
      },
    };
  };

/** Returns metadata without one key. */
export function withoutKey(metadata: Readonly<Record<string, string>>, lost: string): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== lost));
}

/** Returns a version whose order is altered by `alter`, if it has one. */
export const withOrder =
  (alter: (order: Order) => Order) =>
  (version: OrderVersion): OrderVersion => ({ ...version, order: version.order && alter(version.order) });

/** Returns the order with its metadata sorted by key. */
export const sortMetadata = (order: Order): Order => {
  const entries = Object.entries(order.metadata).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return { ...order, metadata: Object.fromEntries(entries) };
};
