import { type FilterValues, ORDERS, type Owner, type Page, type Timestamp, type Unavailable } from '@orders/domain';
import {
  filtersOfOwners,
  type ListedOrder,
  type OrderFinder,
  type OrdersOfOwners,
  type OwnersOrderQuery,
  type UnknownOwnersPosition,
} from '@orders/domain/operators';
import { err, ok, type Result } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { ownerSearch } from '../events/owner-search.ts';
import { selectOrders } from '../orders/order-list-statements.ts';
import { isNodeFault, isOwnersFault, toResultAsync } from '../postgres/postgres-errors.ts';
import type { ReadAnywhere } from '../postgres/replica-reads.ts';
import type { PageValues } from '../sql/keyset-page.ts';
import { pageReader, pageStatements } from '../sql/read-page.ts';
import { sql } from '../sql/sql.ts';
import { prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import { digestOf, FIRST, newestOf, type Place, placeOf, positionOf } from './owners-places.ts';

/** How long one page looks for orders, in milliseconds, before it ends at the owners that it has looked at. */
const LOOKS_MS = 2000;
/** The owners whose orders are sorted together. By an id, a reference or a lookup each costs one entry of an index. */
const GROUP = { found: 1000, listed: 100 };
/** The most owners that are counted. */
const OWNERS_COUNTED_MAX = 1_000_000;
/** The statements of a page that are under way together. */
const AT_ONCE = 4;
/** A consumer that has handled nothing: every owner with events is one behind it. */
const NO_CONSUMER = 'orders.of_all_owners';

interface Row extends Omit<ListedOrder, 'owner' | 'total'> {
  readonly currency: string;
  readonly total_amount: string;
}

const FILTERS = filtersOfOwners(ORDERS);
const COLUMNS = sql`o.id, o.status, o.reference, o.customer_id, o.currency, o.total_amount, o.version, o.created_at, o.updated_at`;

interface Among {
  readonly owners: readonly Owner[];
}

/** Returns the statements about several owners, each of which is bound by their number. */
function ownerStatements(orm: Orm) {
  return {
    byIds: prepare<Among & { readonly ids: readonly string[] }, { owner_id: Owner }>(orm)`
        select distinct o.owner_id from our.orders as o
        where o.owner_id = any(${'owners'}::text[]) and o.id = any(${'ids'}::uuid[])`,
    byReference: prepare<Among & { readonly reference: string }, { owner_id: Owner }>(orm)`
        select distinct o.owner_id from our.orders as o
        where o.owner_id = any(${'owners'}::text[]) and o.reference collate "C" = ${'reference'}`,
    byLookup: prepare<Among & { readonly name: string; readonly value: string }, { owner_id: Owner }>(orm)`
        select distinct l.owner_id from our.order_lookups as l
        where l.owner_id = any(${'owners'}::text[]) and l.name = ${'name'} and l.value = ${'value'}`,
    count: prepare<object, { count: number }>(orm)`
        select count(*)::int as count from (select f.owner_id from our.feeds as f limit ${sql.lit(OWNERS_COUNTED_MAX)}) as f`,
    /** Selects the owners of credentials, which are known while their node is down. */
    known: prepare<{ readonly after: Owner; readonly limit: number }, { owner_id: Owner }>(orm)`
        select owner_id collate "C" as owner_id from (
          select k.owner_id from our.api_keys as k union select c.owner_id from our.client_certificates as c
        ) as o
        where owner_id collate "C" > ${'after'} order by owner_id collate "C" limit ${'limit'}::int`,
  };
}

/** Owners whose orders are sorted together. */
interface Group {
  readonly owners: readonly Owner[];
  /** The number of owners up to the last one. */
  readonly lookedAt: number;
  readonly isLast: boolean;
}

type Found = Result<OrdersOfOwners, UnknownOwnersPosition | Unavailable>;

/** Returns what finds orders of one owner or all in this database. The orders of an owner are one statement. */
export function postgresOrderFinder(database: OrdersDatabase): OrderFinder {
  const { orm, primary, readAnywhere } = database;
  const statements = ownerStatements(orm);
  const listAnywhere = listOfOwner(orm, readAnywhere);
  // Whose id is known may have been placed a moment before.
  const listFound = listOfOwner(orm, (read) => read(primary));
  const list = (owner: Owner, query: OwnersOrderQuery) => (isPoint(query) ? listFound : listAnywhere)(owner, query);

  /** Returns those of some owners that have an order with the id, reference or lookup of a query; all without one. */
  const having = async (owners: readonly Owner[], { ids, reference, lookup }: OwnersOrderQuery) => {
    if (owners.length === 0) return owners;
    if (lookup) return ownersOf(await statements.byLookup(primary, { owners, name: lookup[0], value: lookup[1] }));
    if (reference !== null) return ownersOf(await statements.byReference(primary, { owners, reference }));
    return ids ? ownersOf(await statements.byIds(primary, { owners, ids })) : owners;
  };

  const findOfOwner = async (owner: Owner, query: OwnersOrderQuery, at: Place['at']): Promise<Found> =>
    (await list(owner, { ...query, after: at })).map(({ data, next }) => ({
      data,
      next: next && positionOf({ start: '', end: '', at: next }),
      lookedAt: 1,
      owners: 1,
      passedOver: [],
    }));

  const findOfAll = async (query: OwnersOrderQuery, from: Place): Promise<Found> => {
    const deadline = performance.now() + LOOKS_MS;
    const passedOver: Owner[] = [];
    const nodes = { areDown: false };
    const search = ownerSearch(database, { onNodeDown: () => void (nodes.areDown = true) });

    /** Yields all owners, and while a node is down also those of it that have credentials. */
    async function* allOwners() {
      for (let after: Owner | null = ''; after !== null;) {
        const page: { readonly owners: readonly Owner[]; readonly next: Owner | null } = await search(
          NO_CONSUMER,
          after,
        );
        const { owners, next } = page;
        const known = nodes.areDown ? ownersOf(await statements.known(primary, { after, limit: GROUP.found })) : [];
        const inRange = known.filter((owner) => next === null || owner <= next);
        yield* [...new Set([...owners, ...inRange])].toSorted((left, right) => (left < right ? -1 : 1));
        after = next;
      }
    }

    const groupAt = async ({ start, end }: Place): Promise<Group | null> => {
      const size = isPoint(query) ? GROUP.found : GROUP.listed;
      const owners: Owner[] = [];
      let [place, lookedAt, isBehind, isWhole] = [0, 0, start === '', false];
      for await (const owner of allOwners()) {
        if (isWhole) return { owners, lookedAt, isLast: false };
        place += 1;
        if (!isBehind) {
          isBehind = digestOf(owner) === start;
          continue;
        }
        owners.push(owner);
        lookedAt = place;
        isWhole = end === '' ? owners.length === size : digestOf(owner) === end;
      }
      return isBehind ? { owners, lookedAt: Math.max(lookedAt, place), isLast: true } : null;
    };

    for (let place = from; ;) {
      const group = await groupAt(place);
      if (!group) return err({ type: 'unknown_position' });
      const some = new Set(await havingInReach(group.owners));
      const chosen = group.owners.filter((owner) => some.has(owner));
      const found: { readonly owner: Owner; readonly page: Page<ListedOrder, Timestamp> }[] = [];
      const faults: Unavailable[] = [];
      let started = 0;
      const work = async () => {
        for (; started === 0 || performance.now() < deadline;) {
          const owner = chosen[started];
          if (owner === undefined || faults.length > 0) return;
          started += 1;
          const page = await list(owner, { ...query, after: place.at });
          if (page.isOk()) found.push({ owner, page: page.value });
          else if (isOwnersFault(page.error.cause)) passedOver.push(owner);
          else faults.push(page.error);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      const [fault] = faults;
      if (fault) return err(fault);
      // Owners that were not reached in time are those of the next group.
      const isCut = started < chosen.length;
      const last = isCut ? chosen[started - 1] : group.owners.at(-1);
      const { data, at } = newestOf(
        found.map(({ page }) => page),
        query.limit,
      );
      const isEnd = at === null && !isCut && group.isLast;
      const behind = last === undefined ? '' : digestOf(last);
      const next = at ? { start: place.start, end: behind, at } : { start: behind, end: '', at: null };
      if (data.length > 0 || isEnd || performance.now() >= deadline) {
        const lookedAt = isCut
          ? group.lookedAt - group.owners.length + group.owners.indexOf(last ?? '') + 1
          : group.lookedAt;
        const owners = nodes.areDown ? null : await countOwners(lookedAt);
        return ok({ data, next: isEnd ? null : positionOf(next), lookedAt, owners, passedOver });
      }
      place = next;
    }

    /** The same, with all owners whose node is down, so that each is looked at alone. */
    async function havingInReach(owners: readonly Owner[]) {
      try {
        return await having(owners, query);
      } catch (cause) {
        if (!isNodeFault(cause)) throw cause;
        return owners;
      }
    }
  };

  const countOwners = async (least: number) => Math.max(least, (await statements.count(primary, {}))[0]?.count ?? 0);

  return {
    find: (owner, query, after) => {
      const place = after === null ? FIRST : placeOf(after);
      if (place === undefined)
        return toResultAsync<OrdersOfOwners, UnknownOwnersPosition>(Promise.resolve(err({ type: 'unknown_position' })));
      return toResultAsync(owner === null ? findOfAll(query, place) : findOfOwner(owner, query, place.at));
    },
  };
}

/**
 * Returns the list of the orders of one owner, in which also one has its place whose status the definition lacks.
 *
 * @internal
 */
export function listOfOwner(orm: Orm, readAnywhere: ReadAnywhere) {
  const pages = pageStatements<OwnersOrderQuery, PageValues & FilterValues<typeof FILTERS>, Row>(
    orm,
    FILTERS,
    (query, p) => selectOrders(query, FILTERS, { table: 'orders', columns: COLUMNS, read: COLUMNS, room: [] }, p),
  );
  return pageReader({ readAnywhere }, pages, toListed);
}

function isPoint({ ids, reference, lookup }: OwnersOrderQuery): boolean {
  return (ids ?? reference ?? lookup) !== null;
}

function ownersOf(rows: readonly { readonly owner_id: Owner }[]): readonly Owner[] {
  return rows.map(({ owner_id }) => owner_id);
}

function toListed({ currency, total_amount, created_at, updated_at, ...row }: Row, owner: Owner): ListedOrder {
  const total = { amount: Number(total_amount), currency };
  return { owner, ...row, total, created_at: readTimestamp(created_at), updated_at: readTimestamp(updated_at) };
}
