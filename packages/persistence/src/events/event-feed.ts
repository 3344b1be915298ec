import type { OrderDefinition, Owner, Unavailable } from '@orders/domain';
import {
  FeedBacklog,
  type EventFeed,
  type EventsExpired,
  FEED_START,
  type FeedPage,
  type FeedPosition,
  type FeedQuery,
  type FeedReset,
  type ReadFeedError,
  positionOf,
} from '@orders/domain/events';
import { err, ok, type Result } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { toResultAsync } from '../postgres/postgres-errors.ts';
import {
  type FeedEndRow,
  type FeedPageRow,
  type FeedState,
  type FeedStatements,
  feedStatements,
  type NumberedChange,
} from './feed-statements.ts';
import { FeedWaiters } from './feed-waiters.ts';
import { numberingOf } from './numbering.ts';
import { SlowProbes } from './slow-probes.ts';
import { VisibleTransactions } from './visible-transactions.ts';
import { type AnyFeedEvent, readResources, restoredBy, toFeedEvent } from './numbered-change.ts';

/** A page of changes, before their resources are read. */
interface ChangesPage {
  readonly changes: readonly NumberedChange[];
  readonly next: FeedPosition;
  readonly state: FeedState;
}

/** The end of a feed. */
interface FeedEnd {
  /** The place after the last event. */
  readonly place: FeedPosition;
  /** Whether a change has no position. */
  readonly unnumbered: boolean;
}

type After = Result<FeedPosition, FeedReset | EventsExpired>;

/**
 * Returns the feed of events in PostgreSQL, of the definition of its database. Events from before the definition was changed
 * stay in it as they were recorded, with types that the definition may lack. So do events of servers with a later one, while
 * it is deployed. A poll without events is one statement about the end of the feed; most reads
 * are such polls. A read that finds changes without a position gives them one, in a transaction that locks the feed of
 * its owner, and reads again.
 */
export function postgresEventFeed<D extends OrderDefinition>(
  database: OrdersDatabase<D>,
): EventFeed<D> & { readonly definition: D };
export function postgresEventFeed(database: OrdersDatabase): unknown {
  const { primary, definition } = database;
  const statements = feedStatements(database.orm);
  const resources = { ...statements, restored: restoredBy(definition) };
  const numbering = numberingOf(database);
  const slow = new SlowProbes(
    async (owner) => (await statements.unnumbered(primary, { owner_id: owner }))[0]?.unnumbered === true,
  );
  const waiters = new FeedWaiters(database, statements, slow, new VisibleTransactions(database));

  const { proberOf, selectPage, selectEnd } = feedSelections(primary, statements, slow);

  const readLatest = async (owner: Owner): Promise<Result<FeedPage, Unavailable>> => {
    const probe = proberOf(owner);
    let end = await selectEnd(owner, await probe());
    if (!end || end.unnumbered) {
      const isComplete = await numbering.run(owner);
      end = await selectEnd(owner, await probe());
      if (!isComplete) return err(backlog(end?.place.position ?? 0));
    }
    if (!end) throw new Error('a feed is missing after it was created');
    return ok({ data: [], next: end.place, caught_up: !end.unnumbered });
  };

  const readPage = async (owner: Owner, query: FeedQuery): Promise<Result<FeedPage, ReadFeedError>> => {
    const { after } = query;
    // Only a page that reaches the end is worth a slow probe, which it must follow to have what was acknowledged before.
    const probe = proberOf(owner);
    const ahead = slow.has(owner) ? toPage(await selectPage(owner, query, false), query) : null;
    if (ahead?.isOk() && ahead.value.next.position < Number(ahead.value.state.last))
      return await withResources(owner, query, ahead.value);
    const known = await probe();
    const end = after === null ? undefined : await selectEnd(owner, known);
    if (after !== null && end && isIdle(end, after)) return ok({ data: [], next: after, caught_up: true });
    let rows = after !== null && isIncomplete(end, after, query) ? [] : await selectPage(owner, query, known);
    let page = toPage(rows, query);
    if (!page || (rows[0]?.unnumbered === true && (isBehind(rows, query) || hasRoom(page, query)))) {
      const isComplete = await numbering.run(owner);
      rows = await selectPage(owner, query, await probe());
      if (!isComplete && isBehind(rows, query)) return err(backlog(Number(rows[0]?.last)));
      page = toPage(rows, query);
    }
    if (!page) throw new Error('a feed is missing after it was created');
    if (page.isErr()) return err(page.error);
    return await withResources(owner, query, page.value);
  };

  const withResources = async (
    owner: Owner,
    query: FeedQuery,
    { changes, next, state }: ChangesPage,
  ): Promise<Result<FeedPage, ReadFeedError>> => {
    const data = query.include.includes('resource')
      ? await readResources(resources, primary, owner, changes)
      : ok(changes.map((change) => toFeedEvent(change)));
    return data.map((events) => {
      const end = lastOf(events, changes.length, next);
      return { data: events, next: end, caught_up: end.position === Number(state.last) && !state.unnumbered };
    });
  };

  return {
    definition,
    read: (owner, query) =>
      toResultAsync(query.after === null && query.start === 'latest' ? readLatest(owner) : readPage(owner, query)),
    wait: (owner, position, options) => waiters.wait(owner, position, options),
  } satisfies EventFeed<OrderDefinition>;
}

/** Returns the statements of reads. One that knows whether there are changes without a position does not look for them. */
function feedSelections(primary: OrdersDatabase['primary'], statements: FeedStatements, slow: SlowProbes) {
  /** Returns the shared probe for a read of an owner whose probes are slow; for any other owner, its result is `undefined`. */
  const proberOf = (owner: Owner): (() => Promise<boolean | undefined>) =>
    slow.has(owner) ? () => slow.probe(owner) : () => Promise.resolve(undefined);

  /** Selects from a feed, and looks for changes without a position unless that is known. */
  const select = async <Row extends { readonly unnumbered: boolean }>(
    owner: Owner,
    known: boolean | undefined,
    statement: (feed: { readonly owner_id: Owner; readonly probes: boolean }) => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> => {
    const begun = performance.now();
    const rows = await statement({ owner_id: owner, probes: known === undefined });
    if (known !== undefined) return rows.map((row) => ({ ...row, unnumbered: known }));
    slow.took(owner, performance.now() - begun);
    return rows;
  };

  const selectPage = (owner: Owner, { after, limit, types }: FeedQuery, known: boolean | undefined) => {
    const statement = types === null ? statements.page : statements.filtered;
    const query = { start: after?.position ?? FEED_START.position, limit, types };
    return select<FeedPageRow>(owner, known, (feed) => statement(primary, { ...feed, ...query }));
  };

  const selectEnd = async (owner: Owner, known: boolean | undefined): Promise<FeedEnd | undefined> => {
    const [end] = await select(owner, known, (feed) => statements.end(primary, feed));
    return end && toFeedEnd(end);
  };

  return { proberOf, selectPage, selectEnd };
}

/** Returns the page of the selected rows; `null` before the feed exists. */
function toPage(
  rows: readonly FeedPageRow[],
  { after, limit, types }: FeedQuery,
): Result<ChangesPage, FeedReset | EventsExpired> | null {
  const [state] = rows;
  if (!state) return null;
  const all = rows.filter(isChange);
  return startOf(state, all[0], after).map((start) => {
    const later = all.filter(({ position }) => Number(position) > start.position);
    const matching = types === null ? later : later.filter(({ type }) => types.includes(type));
    const changes = matching.slice(0, limit);
    const last = matching.length > limit ? changes.at(-1) : later.at(-1);
    return { changes, next: last ? placeOf(last.position, last.event_id) : start, state };
  });
}

function toFeedEnd({ purged, purged_id, unnumbered, last_event }: FeedEndRow): FeedEnd {
  const [position = purged, id = null] = last_event?.split(' ') ?? [];
  return { place: position === purged ? placeOf(purged, purged_id) : placeOf(position, id), unnumbered };
}

/** Returns whether a reader has received all events. */
function isIdle(end: FeedEnd, after: FeedPosition): boolean {
  return !end.unnumbered && end.place.position === after.position && end.place.event === after.event;
}

/** Returns whether the next page has room for changes without a position, or may have, in a feed that does not exist. */
function isIncomplete(end: FeedEnd | undefined, after: FeedPosition, { limit }: FeedQuery): boolean {
  return !end || (end.unnumbered && end.place.position - after.position < limit);
}

/**
 * Returns whether the feed ends before the place of the reader. After a restore, that may be the place of a change that has
 * no position yet.
 */
function isBehind([state]: readonly FeedState[], { after }: FeedQuery): boolean {
  return state !== undefined && after !== null && after.position > Number(state.last);
}

/** Returns whether a page has room for further changes. */
function hasRoom(page: Result<ChangesPage, FeedReset | EventsExpired>, { limit }: FeedQuery): boolean {
  return page.isOk() && page.value.changes.length < limit;
}

/** Returns the error of a read that gave positions to as many changes as one may, while there are more. */
function backlog(last: number): Unavailable {
  return { type: 'unavailable', cause: new FeedBacklog(last) };
}

/** Returns the place after which a page begins, or why the feed has no such place. */
function startOf(
  { last, purged, purged_id }: FeedState,
  first: NumberedChange | undefined,
  after: FeedPosition | null,
): After {
  const oldest = placeOf(purged, purged_id);
  if (after === null) return ok(oldest);
  if (after.position < oldest.position) return err({ type: 'events_expired', oldest });
  const known = first?.position === `${after.position}` ? placeOf(first.position, first.event_id) : oldest;
  const isKnown = after.position <= Number(last) && known.position === after.position && known.event === after.event;
  return isKnown ? ok(after) : err({ type: 'feed_reset' });
}

/** Returns the end of a page that may be shorter than the changes that it was made of. */
function lastOf(events: readonly AnyFeedEvent[], count: number, next: FeedPosition): FeedPosition {
  const last = events.at(-1);
  return last && events.length < count ? positionOf(last) : next;
}

function placeOf(position: string, id: string | null): FeedPosition {
  return id === null ? FEED_START : positionOf({ id, position: Number(position) });
}

function isChange(row: FeedPageRow): row is FeedPageRow & NumberedChange {
  return row.position !== null;
}
