import { execFile } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '@orders/child-processes';
import { type EventFeed, FEED_START, type FeedPosition, positionOf } from '@orders/domain/events';
import { anOrder } from '@orders/domain/testing';
import { openDatabase, postgresCheckpoints, postgresEventFeed, purge } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { expect, it, onTestFinished } from 'vitest';
import { embeddedBinaries } from '../../src/embedded/binaries.ts';
import { decidedOrders } from '../fixtures/decided-writes.ts';
import { POSTGRES_15 } from '../postgres-server/open-test-postgres.ts';
import { upTo } from '../fixtures/feed-rows.ts';
import { readEverything, readPage } from '../fixtures/reading.ts';

const run = promisify(execFile);
const OWNER = 'owner';

/** Starts a server on a PostgreSQL of its own, of the oldest supported release, which the programs of every later can dump. */
async function start(dataDir: string) {
  const binaries = await embeddedBinaries(POSTGRES_15);
  const postgres = await startEmbeddedPostgres({ dataDir, binaries, settings: { fsync: 'off' } });
  const database = openDatabase({ url: postgres.url });
  onTestFinished(async () => {
    await database.close();
    await postgres.stop();
  });
  const orders = decidedOrders(database);
  let time = 0;
  /** Places orders one after the other, and returns the ids of their events. */
  const place = async (count: number, owner = OWNER) => {
    const ids: string[] = [];
    for (let placed = 0; placed < count; placed += 1) {
      // No two events have the same time, so that a purge can end between them.
      time = Math.max(time + 1, Date.now());
      const order = anOrder({ created_at: new Date(time).toISOString() });
      ids.push((await orders.insert(owner, order))._unsafeUnwrap().event?.id ?? '');
    }
    return ids;
  };
  return { url: postgres.url, database, feed: postgresEventFeed(database), place };
}

/** Returns the ids of the events behind a cursor, from pages of `limit` events, or the error. */
async function idsAfter(feed: EventFeed, after: FeedPosition, limit: number): Promise<readonly string[]> {
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

it('a feed whose dump is restored into a new cluster keeps every cursor, and continues the positions', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orders-restored-'));
  onTestFinished(() => removeFolder(folder));
  // PostgreSQL runs as another account when the tests run as root.
  await chmod(folder, 0o755);
  const source = await start(join(folder, 'source'));
  await source.database.migrate();
  const old = new Date();
  const ids = [...(await source.place(30))];
  const cursors = [FEED_START, ...(await readEverything(source.feed, OWNER)).map((event) => positionOf(event))];
  const [event] = (await readPage(source.feed, OWNER, { after: cursors[9], limit: 1 }))._unsafeUnwrap().data;
  const ages = { now: new Date().toISOString(), eventsBefore: event?.occurred_at ?? old.toISOString() };
  await purge(source.database)(ages);
  const purged = (await readPage(source.feed, OWNER, {}))._unsafeUnwrap().data[0]?.position ?? 0;
  expect(purged).toBeGreaterThan(10);
  const checkpoints = postgresCheckpoints(source.database);
  (await checkpoints.save(OWNER, 'mail', cursors[20] ?? FEED_START))._unsafeUnwrap();
  // Neither these nor those of an owner that was never read have positions in the dump.
  ids.push(...(await source.place(7)));
  const unread = await source.place(5, 'never read');

  const dump = join(folder, 'orders.dump');
  await run('pg_dump', ['--format=custom', `--file=${dump}`, source.url]);
  const restored = await start(join(folder, 'restored'));
  await run('pg_restore', ['--exit-on-error', '--no-owner', '--no-privileges', `--dbname=${restored.url}`, dump]);

  expect(await restored.database.migrate()).toEqual([]);
  for (const [position, cursor] of cursors.entries()) {
    const expected = position < purged - 1 ? ['events_expired'] : ids.slice(position);
    expect(await idsAfter(restored.feed, cursor, 1 + (position % 7))).toEqual(expected);
  }
  const saved = (await postgresCheckpoints(restored.database).load(OWNER, 'mail'))._unsafeUnwrap();
  expect(saved).toEqual(cursors[20]);
  ids.push(...(await restored.place(3)));
  expect(await idsAfter(restored.feed, saved ?? FEED_START, 100)).toEqual(ids.slice(20));
  const all = await readEverything(restored.feed, OWNER);
  expect(all.map(({ position }) => position)).toEqual(upTo(40).slice(purged - 1));
  expect(all.map(({ id }) => id)).toEqual(ids.slice(purged - 1));
  expect((await readEverything(restored.feed, 'never read')).map(({ id }) => id)).toEqual(unread);
});
